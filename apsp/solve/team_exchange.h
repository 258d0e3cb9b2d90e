// Sends the rows of a pivot from the GPU that owns them to the others.
#ifndef APSP_SOLVE_TEAM_EXCHANGE_H
#define APSP_SOLVE_TEAM_EXCHANGE_H

#include "apsp/solve/team.h"

// The GPU that owns the pivot's rows.
size_t apsp_team_owner(const struct apsp_team *team, uint32_t pivot);

// Records a signal, or waits for another GPU's, in a GPU's stream.
enum status apsp_team_record(const struct apsp_team *team, size_t index, enum apsp_lane lane, enum apsp_signal signal,
                             struct error *error);
enum status apsp_team_wait(const struct apsp_team *team, size_t index, enum apsp_lane lane, size_t from,
                           enum apsp_signal signal, struct error *error);
enum status apsp_team_wait_for_all(const struct apsp_team *team, size_t index, enum apsp_lane lane,
                                   enum apsp_signal signal, struct error *error);

// What one GPU sends to all others.
enum apsp_parcel {
    APSP_MATRIX_ROWS, // a pivot's rows of the matrix
    APSP_PANEL_ROWS,  // a wide pivot's right panel
    APSP_CLOSED_TILE, // of a wide pivot
    APSP_PARCELS
};

// Enqueues the owner's part of an exchange, and that of another GPU. The owner may write to the other GPUs' memory.
enum status apsp_team_send(const struct apsp_team *team, enum apsp_lane lane, enum apsp_parcel parcel, uint32_t pivot,
                           struct error *error);
enum status apsp_team_receive(const struct apsp_team *team, enum apsp_lane lane, size_t index, enum apsp_parcel parcel,
                              uint32_t pivot, struct error *error);

// Exchanges the rows while nothing else runs, and returns when they have arrived.
enum status apsp_team_exchange(const struct apsp_team *team, uint32_t pivot, struct error *error);

// How many bytes an exchange moves.
uint64_t apsp_team_exchange_bytes(const struct apsp_team *team);

#endif
