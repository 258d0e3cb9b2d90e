// Devices on PCI Express: how they are connected, and how far apart two of them are.
#ifndef DEVICE_PCI_H
#define DEVICE_PCI_H

#include <stddef.h>

#include "device/device.h"

// What Linux says of the device at an address ("0000:1A:00.0").
void pci_describe(const char *address, struct device_bus *bus);

// GB/s of data that so many lanes carry one way: 10^9 transfers a second and lane, less what the line code takes.
double pci_peak_gb_s(double gt_s, uint32_t lanes);

// What two devices have in common on their ways to the processor, by their addresses ("0000:1A:00.0"): "PCIe, one
// switch", "PCIe, one host bridge", "PCIe, two host bridges"; "PCIe" where the system does not tell.
void pci_link_name(const char *address, const char *peer, char *name, size_t size);

// The same by their paths under /sys/devices.
const char *pci_common(const char *path, const char *peer);

#endif
