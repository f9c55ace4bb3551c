/* Faults for a server under test, by LD_PRELOAD: cc -shared -fPIC -o faults.so faults.c -ldl
 *
 *   FAULT_CLOCK=FILE                     the seconds in FILE are added to the wall clock
 *   FAULT_MATCH=TEXT FAULT_EIO=FILE      while FILE exists, writes and syncs of files whose path has TEXT fail with EIO
 *   FAULT_MATCH=TEXT FAULT_STALL=FILE    while FILE exists, their syncs hang
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Reads FILE again after 50 ms. */
static long ahead(void) {
  static volatile long seconds, last = -1;
  const char *file = getenv("FAULT_CLOCK");
  struct timespec monotonic;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &monotonic);
  long look = monotonic.tv_sec * 20 + monotonic.tv_nsec / 50000000;
  if (file && look != last) {
    last = look;
    FILE *opened = fopen(file, "r");
    long read;
    if (opened) {
      if (fscanf(opened, "%ld", &read) == 1) seconds = read;
      fclose(opened);
    }
  }
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += ahead();
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  (void) zone;
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec + ahead();
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

static int is_on(const char *fault, int descriptor) {
  const char *file = getenv(fault), *match = getenv("FAULT_MATCH");
  char link[64], path[512];
  if (!file || !match || access(file, F_OK) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, match) != 0;
}

#define SYSTEM(type, name, ...) \
  static type (*system_call)(__VA_ARGS__); \
  if (!system_call) system_call = (type (*)(__VA_ARGS__)) dlsym(RTLD_NEXT, name)

#define MAY_FAIL(descriptor) \
  if (is_on("FAULT_EIO", descriptor)) { \
    errno = EIO; \
    return -1; \
  }

#define MAY_STALL(descriptor) while (is_on("FAULT_STALL", descriptor)) usleep(50000)

int fsync(int descriptor) {
  SYSTEM(int, "fsync", int);
  MAY_STALL(descriptor);
  MAY_FAIL(descriptor)
  return system_call(descriptor);
}

int fdatasync(int descriptor) {
  SYSTEM(int, "fdatasync", int);
  MAY_STALL(descriptor);
  MAY_FAIL(descriptor)
  return system_call(descriptor);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  SYSTEM(ssize_t, "write", int, const void *, size_t);
  MAY_FAIL(descriptor)
  return system_call(descriptor, bytes, count);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  SYSTEM(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  MAY_FAIL(descriptor)
  return system_call(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  SYSTEM(ssize_t, "writev", int, const struct iovec *, int);
  MAY_FAIL(descriptor)
  return system_call(descriptor, parts, count);
}
