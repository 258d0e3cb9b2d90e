// Devices on PCI Express: their connections to the host and to each other.
#ifndef DEVICE_PCI_H
#define DEVICE_PCI_H

#include <stddef.h>

#include "device/device.h"

// Linux' description of the device at an address ("0000:1A:00.0").
void pci_describe(const char *address, struct device_bus *bus);

// GB/s of data in one direction over that many lanes: 10^9 transfers per second and lane, less the line code.
double pci_peak_gb_s(double gt_s, uint32_t lanes);

// What two devices share on their paths to the processor, by their addresses ("0000:1A:00.0"): "PCIe, one switch",
// "PCIe, one host bridge", "PCIe, two host bridges"; "PCIe" if the system does not tell.
void pci_link_name(const char *address, const char *peer, char *name, size_t size);

// The same from their paths under /sys/devices.
const char *pci_common(const char *path, const char *peer);

#endif
