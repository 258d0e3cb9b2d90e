// The peak of the memory channels from the firmware's table (DMTF DSP0134, SMBIOS reference specification, type 17).
#include "device/cpu/smbios.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu/host.h"

enum {
    MEMORY_DEVICE = 17,
    CHANNELS_MAX = 64,
    CHANNEL_TEXT = 64
};

// Offsets into a memory device's structure.
enum {
    DATA_WIDTH = 0x0a, // bits, without those of error correction
    SIZE = 0x0c,       // 0: the socket is empty
    DEVICE_LOCATOR = 0x10,
    BANK_LOCATOR = 0x11,
    CONFIGURED_SPEED = 0x20, // 10^6 transfers a second; 0: unknown
    EXTENDED_SPEED = 0x58,   // the same if it exceeds 16 bits
};

struct channel {
    char name[CHANNEL_TEXT];
    double gb_s;
};

struct structure {
    const uint8_t *at;
    size_t length; // of the formatted part; the strings follow
    size_t size;   // with strings
};

static uint32_t word_at(const struct structure *structure, size_t offset, size_t bytes) {
    uint32_t value = 0;
    for (size_t i = 0; offset + bytes <= structure->length && i < bytes; i++) {
        value |= (uint32_t)structure->at[offset + i] << 8 * i;
    }
    return value;
}

// The string of the number at this offset; empty if there is none.
static const char *string_at(const struct structure *structure, size_t offset) {
    const char *text = (const char *)structure->at + structure->length;
    for (uint32_t number = word_at(structure, offset, 1); number > 1 && *text; number--) {
        text += strlen(text) + 1;
    }
    return word_at(structure, offset, 1) ? text : "";
}

// Finds the next structure, whose strings end at two NULs. Returns false at the end of the table or of an incomplete
// table.
static bool next_structure(const uint8_t *table, size_t bytes, size_t position, struct structure *structure) {
    if (position + 4 > bytes || table[position + 1] < 4 || position + table[position + 1] > bytes) {
        return false;
    }
    *structure = (struct structure){table + position, table[position + 1], 0};
    for (size_t end = position + structure->length; end + 2 <= bytes; end++) {
        if (table[end] == 0 && table[end + 1] == 0) {
            structure->size = end + 2 - position;
            return true;
        }
    }
    return false;
}

// Boards name sockets by channel in two ways: "ChannelA-DIMM0", "P0 CHANNEL A"; and "DIMM_A1", "P1-DIMMA1", "A1". The
// channel's name ends at its letter or number; returns its length, 0 if it is not recognized.
static size_t spelled_channel(const char *locator) {
    const char *word = strcasestr(locator, "channel");
    if (!word) {
        return 0;
    }
    word += strlen("channel");
    word += strspn(word, " _-");
    const size_t digits = strspn(word, "0123456789");
    const size_t name = digits ? digits : isalpha((unsigned char)*word) != 0;
    return name ? (size_t)(word - locator) + name : 0;
}

static size_t lettered_channel(const char *locator) {
    size_t end = strlen(locator);
    const size_t whole = end;
    while (end > 0 && isdigit((unsigned char)locator[end - 1])) {
        end--;
    }
    if (end == whole || end == 0 || !strchr("ABCDEFGHIJKL", locator[end - 1])) {
        return 0;
    }
    const bool stands_alone = end == 1 || !isalpha((unsigned char)locator[end - 2]);
    const bool behind_dimm = end > 4 && !strncasecmp(locator + end - 5, "DIMM", 4);
    return stands_alone || behind_dimm ? end : 0;
}

static bool channel_name(const struct structure *module, char name[CHANNEL_TEXT]) {
    size_t (*const readings[])(const char *) = {spelled_channel, lettered_channel};
    const size_t locators[] = {DEVICE_LOCATOR, BANK_LOCATOR};
    for (size_t i = 0; i < 4; i++) {
        const char *locator = string_at(module, locators[i % 2]);
        const size_t length = readings[i / 2](locator);
        if (length) {
            snprintf(name, CHANNEL_TEXT, "%.*s", (int)length, locator);
            return true;
        }
    }
    return false;
}

static double module_gb_s(const struct structure *module) {
    uint32_t speed = word_at(module, CONFIGURED_SPEED, 2);
    if (speed == 0xffff) {
        speed = word_at(module, EXTENDED_SPEED, 4);
    }
    const uint32_t width = word_at(module, DATA_WIDTH, 2);
    return width == 0xffff ? 0 : speed * 1e6 * width / 8 / 1e9;
}

// Modules of one channel share its wires, so they count once. Returns false if the channel's peak is unknown.
static bool add_module(const struct structure *module, struct channel *channels, size_t *count) {
    struct channel channel = {.gb_s = module_gb_s(module)};
    if (channel.gb_s <= 0 || !channel_name(module, channel.name)) {
        return false;
    }
    size_t i = 0;
    while (i < *count && strcmp(channels[i].name, channel.name)) {
        i++;
    }
    if (i == CHANNELS_MAX) {
        return false;
    }
    *count += i == *count;
    channels[i] = channel;
    return true;
}

double cpu_smbios_peak_gb_s(const uint8_t *table, size_t bytes) {
    struct channel channels[CHANNELS_MAX];
    size_t count = 0;
    struct structure structure;
    for (size_t position = 0; next_structure(table, bytes, position, &structure); position += structure.size) {
        if (structure.at[0] == MEMORY_DEVICE && word_at(&structure, SIZE, 2) != 0 &&
            !add_module(&structure, channels, &count)) {
            return 0;
        }
    }
    double peak = 0;
    for (size_t i = 0; i < count; i++) {
        peak += channels[i].gb_s;
    }
    return peak;
}

double cpu_memory_peak_gb_s(void) {
    enum {
        TABLE_MAX = 1 << 20
    };
    FILE *file = fopen("/sys/firmware/dmi/tables/DMI", "rb");
    uint8_t *table = file ? malloc(TABLE_MAX) : NULL;
    const double peak = table ? cpu_smbios_peak_gb_s(table, fread(table, 1, TABLE_MAX, file)) : 0;
    free(table);
    if (file) {
        fclose(file);
    }
    return peak;
}
