#include "device/pci.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES_MAX = 32
};

// A path is "/sys/devices/pci0000:00/0000:00:01.0/0000:1a:00.0": a host bridge, bridges, the device.
const char *pci_common(const char *path, const char *peer) {
    const char *bridge = strstr(path, "/pci"),
               *common = path; // becomes the end of the common beginning of both, in whole names
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

// Drivers write addresses in capitals, /sys in small letters.
static void lower(char to[32], const char *address) {
    size_t i = 0;
    for (; address[i] && i < 31; i++) {
        to[i] = (char)tolower((unsigned char)address[i]);
    }
    to[i] = '\0';
}

// The device's folder, or a file in it.
static void find_file(const char *address, const char *name, char path[PATH_MAX]) {
    const char *root = getenv("BANKSHOT_SYSFS"); // for tests: another machine's devices
    snprintf(path, PATH_MAX, "%s/bus/pci/devices/%s%s", root ? root : "/sys", address, name);
}

// The address's path; NULL if there is none.
static char *find_path(const char *address, char found[PATH_MAX]) {
    char link[PATH_MAX], name[32];
    lower(name, address);
    find_file(name, "", link);
    return realpath(link, found);
}

// Reads a file that begins with a number; returns otherwise if there is none.
static double read_number(const char *address, const char *name, double otherwise) {
    char path[PATH_MAX];
    double number = otherwise;
    find_file(address, name, path);
    FILE *file = fopen(path, "r");
    if (file) {
        number = fscanf(file, "%lf", &number) == 1 ? number : otherwise;
        fclose(file);
    }
    return number;
}

// The first two generations encode 8 bits as 10, the next three 128 as 130; the sixth uses 242 of 256 bytes for
// packets.
double pci_peak_gb_s(double gt_s, uint32_t lanes) {
    const double share = gt_s < 8 ? 8.0 / 10 : gt_s < 64 ? 128.0 / 130 : 242.0 / 256;
    return gt_s * lanes * share / 8;
}

// Takes the link's best speed, because the speed falls while the device is idle, but its present width.
void pci_describe(const char *address, struct device_bus *bus) {
    *bus = (struct device_bus){0};
    lower(bus->address, address);
    bus->numa_node = (int)read_number(bus->address, "/numa_node", -1);
    bus->gt_s = read_number(bus->address, "/max_link_speed", 0);
    const double lanes = read_number(bus->address, "/current_link_width", 0);
    // 63 and 255 mean an unknown width.
    bus->lanes = lanes > 0 && lanes <= (double)LANES_MAX ? (uint32_t)lanes : 0;
    bus->peak_gb_s = pci_peak_gb_s(bus->gt_s, bus->lanes);
}

void pci_link_name(const char *address, const char *peer, char *name, size_t size) {
    char path[PATH_MAX], peer_path[PATH_MAX];
    const bool known = find_path(address, path) && find_path(peer, peer_path);
    snprintf(name, size, "%s", known ? pci_common(path, peer_path) : "PCIe");
}
