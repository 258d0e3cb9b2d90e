// Every column of the CSV, in order: one header for all probes. docs/csv.md explains each.
//   TEXT(name)            empty where it does not apply
//   COUNT(name)           a whole number; ROW_NO_COUNT prints as an empty field
//   REAL(name, format)    NaN prints as an empty field
//   COUNTER(name, format, scope, value)
//                         a REAL that the simulator counts, also for the row of a measured GPU: its value is computed
//                         from `counts` (device/launch.h), if the launch is in the scope (bench/row.c), and from
//                         columns above it
//   PREDICTED(name, of, format)
//                         a REAL: what the model expects of the column `of`, in the row of a measured GPU
// These columns say what was run. Two rows are the same work only if all of them agree (bench/keys.h):
//   KEY_TEXT(name), KEY_COUNT(name)
//   SIZE_COUNT(name), SIZE_REAL(name, format)
//                         a size that a probe may fit to its device
//   FOUND_TEXT(name), FOUND_COUNT(name)
//                         known only after measuring or checking, so a prediction or a run under a profiler may differ
// A source that needs the list defines the macros and includes this file, which undefines them at its end. Without
// COUNTER a counter is a REAL, without PREDICTED a prediction is one, too, and a column that says what was run is a
// TEXT, COUNT or REAL like any other.

#ifndef COUNTER
#define COUNTER(name, format, scope, value) REAL(name, format)
#endif
#ifndef PREDICTED
#define PREDICTED(name, of, format) REAL(name, format)
#endif
#ifndef KEY_TEXT
#define KEY_TEXT(name) TEXT(name)
#endif
#ifndef KEY_COUNT
#define KEY_COUNT(name) COUNT(name)
#endif
#ifndef SIZE_COUNT
#define SIZE_COUNT(name) KEY_COUNT(name)
#endif
#ifndef SIZE_REAL
#define SIZE_REAL(name, format) REAL(name, format)
#endif
#ifndef FOUND_TEXT
#define FOUND_TEXT(name) KEY_TEXT(name)
#endif
#ifndef FOUND_COUNT
#define FOUND_COUNT(name) KEY_COUNT(name)
#endif

KEY_TEXT(probe)
KEY_TEXT(variant)
TEXT(backend)
TEXT(device)
TEXT(arch)
TEXT(source)
TEXT(via)
KEY_TEXT(kernel)
KEY_TEXT(op)
KEY_TEXT(type)
KEY_COUNT(width_bytes)
KEY_COUNT(stride)
KEY_COUNT(offset)
KEY_COUNT(window_bytes)
KEY_TEXT(pattern)
KEY_COUNT(group)
KEY_COUNT(cluster)
KEY_COUNT(distance)
KEY_COUNT(request_line)
SIZE_COUNT(elements)
KEY_TEXT(block)
TEXT(grid)
KEY_COUNT(tile)
KEY_COUNT(vertices)
KEY_COUNT(edges)
FOUND_COUNT(paths)
KEY_COUNT(devices)
FOUND_TEXT(launch)
SIZE_COUNT(footprint_bytes)
KEY_COUNT(page_bytes)
KEY_COUNT(fetch_bytes)
KEY_COUNT(compute_unit)
KEY_COUNT(address)
SIZE_REAL(bytes_in_flight, "%.15g")
KEY_COUNT(traffic_pct)
KEY_TEXT(parameters)
TEXT(level)
COUNT(samples)
COUNT(samples_dropped)
REAL(time_ns_median, "%.1f")
REAL(time_ns_min, "%.1f")
REAL(time_ns_max, "%.1f")
REAL(time_ns_low, "%.1f")
REAL(time_ns_high, "%.1f")
REAL(interval_pct, "%.2f")
REAL(time_ns_p25, "%.1f")
REAL(time_ns_p75, "%.1f")
REAL(noise_pct, "%.2f")
REAL(effective_samples, "%.1f")
REAL(drift_pct, "%.2f")
REAL(modes_pct, "%.2f")
REAL(clock_mhz, "%.0f")
REAL(waited_pct, "%.2f")
REAL(first_kernel_pct, "%.2f")
REAL(fixed_pct, "%.2f")
REAL(useful_bytes, "%.15g")
REAL(bandwidth_gb_s, "%.6g")
REAL(peak_gb_s, "%.6g")
REAL(peak_pct, "%.2f")
REAL(joules, "%.6g")
REAL(watts, "%.5g")
REAL(pj_per_byte, "%.5g")
REAL(sustained_gb_s, "%.6g")
REAL(energy_step_ms, "%.4g")
REAL(energy_error_pct, "%.2f")
TEXT(throttle_reasons)
KEY_TEXT(from)
KEY_TEXT(to)
KEY_TEXT(direction)
REAL(one_way_gb_s, "%.6g")
REAL(sum_gb_s, "%.6g")
REAL(copy_pct, "%.2f")
REAL(limit_pct, "%.2f")
REAL(speedup, "%.4g")
REAL(ops, "%.15g")
REAL(gop_s, "%.6g")
REAL(peak_gop_s, "%.6g")
REAL(latency_ns, "%.5g")
REAL(latency_cycles, "%.5g")
REAL(cycles_per_request, "%.6g")
REAL(bytes_per_clock, "%.6g")
COUNTER(requests, "%.15g", ANY_LAUNCH, counts->global_load.requests + counts->global_store.requests)
COUNT(sector_bytes)
COUNTER(sectors, "%.15g", GLOBAL_REQUESTS, counts->global_load.sectors + counts->global_store.sectors)
COUNTER(sectors_per_request, "%.6g", GLOBAL_REQUESTS, row->sectors / row->requests)
COUNTER(l1_clocks, "%.15g", GLOBAL_REQUESTS, counts->global_load.l1_clocks + counts->global_store.l1_clocks)
COUNTER(load_efficiency_pct, "%.2f", ANY_LAUNCH, efficiency_pct(&counts->global_load, gpu, OPERATION_LOAD))
COUNTER(store_efficiency_pct, "%.2f", ANY_LAUNCH, efficiency_pct(&counts->global_store, gpu, OPERATION_STORE))
COUNTER(device_read_bytes, "%.15g", SIMULATED, counts->device_read_bytes)
COUNTER(device_write_bytes, "%.15g", SIMULATED, counts->device_write_bytes)
COUNTER(passes, "%.15g", SHARED_REQUESTS, counts->shared_load.passes + counts->shared_store.passes)
COUNTER(passes_per_request, "%.6g", SHARED_REQUESTS,
        row->passes / (counts->shared_load.requests + counts->shared_store.requests))
COUNTER(load_bank_conflicts, "%.15g", SHARED_REQUESTS, counts->shared_load.conflicts)
COUNTER(store_bank_conflicts, "%.15g", SHARED_REQUESTS, counts->shared_store.conflicts)
COUNTER(bank_conflicts, "%.15g", SHARED_REQUESTS, counts->shared_load.conflicts + counts->shared_store.conflicts)
COUNTER(shared_efficiency_pct, "%.2f", SHARED_REQUESTS, shared_efficiency_pct(counts, gpu))
REAL(shared_gb_s, "%.6g")
REAL(degree, "%.4g")
REAL(degree_predicted, "%.4g")
TEXT(model)
TEXT(rule_certainty)
COUNTER(warps, "%.15g", ANY_LAUNCH, counts->warps)
COUNTER(active_lanes_pct, "%.2f", ANY_LAUNCH, 100 * ratio(counts->lane_steps, counts->instructions * gpu->warp_width))
COUNTER(branches, "%.6g", ANY_LAUNCH, ratio(counts->branches, counts->warps))
COUNTER(barriers, "%.6g", SIMULATED, ratio(counts->barriers, counts->warps))
COUNTER(vector_instructions, "%.15g", BY_INSTRUCTIONS, counts->vector_instructions)
COUNTER(scalar_instructions, "%.15g", BY_INSTRUCTIONS, counts->scalar_instructions)
COUNTER(lds_instructions, "%.15g", BY_INSTRUCTIONS, counts->lds_instructions)
COUNTER(vector_memory_instructions, "%.15g", BY_INSTRUCTIONS, counts->vector_memory_instructions)
COUNTER(scalar_memory_instructions, "%.15g", BY_INSTRUCTIONS, counts->scalar_memory_instructions)
KEY_TEXT(parameter)
REAL(value, "%.15g")
TEXT(unit)
REAL(confidence_pct, "%.4g")
TEXT(expected)
TEXT(reason)
TEXT(part)
REAL(bound_ns, "%.1f")
TEXT(bound_by)
REAL(predicted_ns, "%.1f")
REAL(prediction_error_pct, "%.2f")
PREDICTED(predicted_latency_ns, latency_ns, "%.5g")
PREDICTED(predicted_cycles_per_request, cycles_per_request, "%.6g")
PREDICTED(predicted_bytes_per_clock, bytes_per_clock, "%.6g")
TEXT(certainty)
REAL(expected_error_pct, "%.3g")
REAL(sampling_error_pct, "%.2f")
REAL(counted_requests, "%.15g")
REAL(counted_sectors, "%.15g")
REAL(counted_passes, "%.15g")
REAL(counted_conflicts, "%.15g")
REAL(counted_dram_read_bytes, "%.15g")
REAL(counted_dram_write_bytes, "%.15g")
REAL(counted_l1_hit_pct, "%.2f")
REAL(counted_l2_hit_pct, "%.2f")
REAL(counted_instructions, "%.15g")
REAL(counted_active_lanes_pct, "%.2f")
REAL(counted_branches, "%.6g")
TEXT(counters)
TEXT(verified)
TEXT(verdict)

#undef TEXT
#undef COUNT
#undef REAL
#undef COUNTER
#undef PREDICTED
#undef KEY_TEXT
#undef KEY_COUNT
#undef SIZE_COUNT
#undef SIZE_REAL
#undef FOUND_TEXT
#undef FOUND_COUNT
