// How far apart two devices are on PCI Express.
#ifndef DEVICE_PCI_H
#define DEVICE_PCI_H

#include <stddef.h>

// What two devices have in common on their ways to the processor, by their addresses ("0000:1A:00.0"): "PCIe, one
// switch", "PCIe, one host bridge", "PCIe, two host bridges"; "PCIe" where the system does not tell.
void pci_link_name(const char *address, const char *peer, char *name, size_t size);

// The same by their paths under /sys/devices.
const char *pci_common(const char *path, const char *peer);

#endif
