#include "device/pci.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A path is "/sys/devices/pci0000:00/0000:00:01.0/0000:1a:00.0": a host bridge, bridges, the device.
const char *pci_common(const char *path, const char *peer) {
    const char *bridge = strstr(path, "/pci"),
               *common = path; // common: the end of what both begin with, in whole names
    for (size_t i = 0; path[i] && path[i] == peer[i]; i++) {
        common = path[i] == '/' ? path + i : common;
    }
    if (!bridge || !strstr(peer, "/pci")) {
        return "PCIe";
    }
    return common <= bridge                    ? "PCIe, two host bridges"
           : strchr(bridge + 1, '/') == common ? "PCIe, one host bridge"
                                               : "PCIe, one switch";
}

// The address's path, NULL where there is none. Drivers write it in capitals, /sys in small letters.
static char *find_path(const char *address, char found[PATH_MAX]) {
    char link[64];
    int length = snprintf(link, sizeof link, "/sys/bus/pci/devices/%.20s", address);
    for (int i = 0; i < length; i++) {
        link[i] = (char)tolower((unsigned char)link[i]);
    }
    return realpath(link, found);
}

void pci_link_name(const char *address, const char *peer, char *name, size_t size) {
    char path[PATH_MAX], peer_path[PATH_MAX];
    const bool known = find_path(address, path) && find_path(peer, peer_path);
    snprintf(name, size, "%s", known ? pci_common(path, peer_path) : "PCIe");
}
