// The functions we need, declared here: <systemd/sd-daemon.h> and <systemd/sd-bus.h> pull in C headers whose types
// Swift would then count as this module's and refuse elsewhere (MemberImportVisibility).
#pragma once
#include <stdint.h>

/// sd_watchdog_enabled(3)
int sd_watchdog_enabled(int unset_environment, uint64_t *usec);

// sd-bus(3), as of libsystemd 246 and later; only calls that neither wait nor take a variable number of arguments.
// Results below zero are error numbers.
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;
typedef struct {
    const char *name;
    const char *message;
    int _need_free;
} sd_bus_error;
typedef int (*sd_bus_message_handler_t)(sd_bus_message *message, void *userdata, sd_bus_error *error);

int sd_bus_new(sd_bus **bus);
int sd_bus_set_address(sd_bus *bus, const char *address);
int sd_bus_set_bus_client(sd_bus *bus, int is_client);
int sd_bus_start(sd_bus *bus);
void sd_bus_close(sd_bus *bus);
sd_bus *sd_bus_unref(sd_bus *bus);
int sd_bus_is_open(sd_bus *bus);
int sd_bus_is_ready(sd_bus *bus);

int sd_bus_get_fd(sd_bus *bus);
/// As for poll(2).
int sd_bus_get_events(sd_bus *bus);
/// A point of CLOCK_MONOTONIC; UINT64_MAX: none.
int sd_bus_get_timeout(sd_bus *bus, uint64_t *microseconds);
int sd_bus_process(sd_bus *bus, sd_bus_message **message);

/// Without a slot the call lives as long as the bus. A limit of 0 microseconds is the library's own, 25 s.
int sd_bus_call_async(sd_bus *bus, sd_bus_slot **slot, sd_bus_message *message, sd_bus_message_handler_t callback,
                      void *userdata, uint64_t microseconds);
int sd_bus_add_match_async(sd_bus *bus, sd_bus_slot **slot, const char *rule, sd_bus_message_handler_t callback,
                           sd_bus_message_handler_t installed, void *userdata);

int sd_bus_message_new_method_call(sd_bus *bus, sd_bus_message **message, const char *destination, const char *path,
                                   const char *interface, const char *member);
sd_bus_message *sd_bus_message_unref(sd_bus_message *message);
/// Its memory is wiped before it is given back.
int sd_bus_message_sensitive(sd_bus_message *message);
int sd_bus_message_is_method_error(sd_bus_message *message, const char *name);
const sd_bus_error *sd_bus_message_get_error(sd_bus_message *message);
const char *sd_bus_message_get_path(sd_bus_message *message);
const char *sd_bus_message_get_interface(sd_bus_message *message);
const char *sd_bus_message_get_member(sd_bus_message *message);

int sd_bus_message_append_basic(sd_bus_message *message, char type, const void *value);
int sd_bus_message_open_container(sd_bus_message *message, char type, const char *contents);
int sd_bus_message_close_container(sd_bus_message *message);
int sd_bus_message_read_basic(sd_bus_message *message, char type, void *value);
int sd_bus_message_skip(sd_bus_message *message, const char *types);
int sd_bus_message_enter_container(sd_bus_message *message, char type, const char *contents);
int sd_bus_message_exit_container(sd_bus_message *message);
int sd_bus_message_peek_type(sd_bus_message *message, char *type, const char **contents);
