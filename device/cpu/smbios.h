// The peak of the memory channels, from the firmware's table.
#ifndef DEVICE_CPU_SMBIOS_H
#define DEVICE_CPU_SMBIOS_H

#include <stddef.h>
#include <stdint.h>

// GB/s (10^9 bytes) of all memory channels in use, from the firmware; only root can read the table.
double cpu_memory_peak_gb_s(void);

// The same from an SMBIOS structure table: the sum over channels of transfers per second times width. 0 if a module's
// speed, width or channel is missing.
double cpu_smbios_peak_gb_s(const uint8_t *table, size_t bytes);

#endif
