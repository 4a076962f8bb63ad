// Races that one look at the kernel's text or one order of blocks does not show.
#include "labels.cuh"

#define DEVICE __threadfence()

// Writes through pointers that the kernel's text does not show.
__device__ __noinline__ void put(int *to, int value) {
  *to = value;
}
#define PUT(label, name, at)                   \
  label(2, 32, written_by_a_function_##name) { \
    if (threadIdx.x != 0) return;              \
    if (blockIdx.x == 0)                       \
      c[0] = a[at];                            \
    else                                       \
      put(a, 7);                               \
  }
PUT(RACY, read_before, 0)
PUT(RIGHT, elsewhere, 1)

// A reader known by name is looked at also where the writer has heard of others.
#define HEARD(label, name, who)              \
  label(3, 32, writer_has_heard_of_##name) { \
    if (threadIdx.x != 0) return;            \
    volatile int *const flag = b;            \
    if (blockIdx.x == 1 || (who)) {          \
      c[blockIdx.x] = a[0];                  \
      DEVICE;                                \
      if (blockIdx.x == 1) *flag = 1;        \
    } else if (blockIdx.x == 2) {            \
      while (*flag == 0) {                   \
      }                                      \
      DEVICE;                                \
      a[0] = 7;                              \
    }                                        \
  }
HEARD(RACY, one_of_two_readers, blockIdx.x == 0)
HEARD(RIGHT, the_only_reader, false)

// What a later store of the flag says is not what an earlier one said.
#define OVERWRITTEN(label, name, fence)   \
  label(3, 32, flag_overwritten_##name) { \
    if (threadIdx.x != 0) return;         \
    volatile int *const flag = b;         \
    if (blockIdx.x == 0) {                \
      a[0] = 1;                           \
      DEVICE;                             \
      *flag = 1;                          \
    } else if (blockIdx.x == 1) {         \
      while (*flag != 1) {                \
      }                                   \
      fence;                              \
      *flag = 2;                          \
    } else {                              \
      while (*flag != 2) {                \
      }                                   \
      DEVICE;                             \
      c[0] = a[0];                        \
    }                                     \
  }
OVERWRITTEN(RIGHT, with_a_fence, DEVICE)
OVERWRITTEN(RACY, without_a_fence, )

// Locks that are taken by an exchange.
#define EXCHANGED(label, name, enter, leave) \
  label(4, 32, lock_by_exchange_##name) {    \
    if (threadIdx.x != 0) return;            \
    while (atomicExch(b, 1) != 0) {          \
    }                                        \
    enter;                                   \
    a[0] = a[0] + 1;                         \
    leave;                                   \
    atomicExch(b, 0);                        \
  }
EXCHANGED(RIGHT, fences, DEVICE, DEVICE)
EXCHANGED(RACY, no_fence_at_the_start, , DEVICE)
EXCHANGED(RACY, no_fence_at_the_end, DEVICE, )

// More blocks than a few wait for each other.
RIGHT(128, 32, grid_barrier_of_many) {
  if (threadIdx.x != 0) return;
  a[blockIdx.x] = 1;
  DEVICE;
  atomicAdd(b, 1);
  volatile int *const arrived = b;
  while (*arrived < static_cast<int>(gridDim.x)) {
  }
  DEVICE;
  c[blockIdx.x] = a[(blockIdx.x + 1) % gridDim.x];
}
RACY(128, 32, grid_barrier_of_many_no_fence) {
  if (threadIdx.x != 0) return;
  a[blockIdx.x] = 1;
  atomicAdd(b, 1);
  volatile int *const arrived = b;
  while (*arrived < static_cast<int>(gridDim.x)) {
  }
  c[blockIdx.x] = a[(blockIdx.x + 1) % gridDim.x];
}

// The order in which blocks run here hides the race.
RACY(2, 32, counter_orders_by_luck) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    a[0] = 1;
    DEVICE;
    atomicAdd(b, 1);
  } else {
    atomicAdd(b, 1);
    c[0] = a[0];
  }
}
RIGHT(2, 32, counter_decides) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    a[0] = 1;
    DEVICE;
    atomicAdd(b, 1);
  } else if (atomicAdd(b, 0) == 1) {
    c[0] = a[0];
  }
}
#define LOOK(label, name, fence)              \
  label(2, 32, look_before_the_flag_##name) { \
    if (threadIdx.x != 0) return;             \
    volatile int *const flag = b;             \
    if (blockIdx.x == 0) {                    \
      if (*flag != 0) {                       \
        fence;                                \
        c[0] = a[0];                          \
      }                                       \
    } else {                                  \
      a[0] = 1;                               \
      fence;                                  \
      *flag = 1;                              \
    }                                         \
  }
LOOK(RIGHT, fences, DEVICE)
LOOK(RACY, no_fences, )

// A list of work to which blocks add and from which they take. If one block runs alone, it does all of it.
#define WORK_LIST(label, name, published, seen)                                 \
  label(8, 32, work_list_##name) {                                              \
    volatile int *const ready = b, *const head = c;                             \
    if (threadIdx.x != 0) return;                                               \
    if (blockIdx.x == 0) {                                                      \
      a[0] = 1;                                                                 \
      __threadfence();                                                          \
      ready[0] = 1;                                                             \
      atomicAdd(c + 1, 1);                                                      \
    }                                                                           \
    for (int tries = 0; tries < 400 && *head < 64; ++tries) {                   \
      const int next = *head;                                                   \
      if (ready[next] == 0 || atomicCAS(c, next, next + 1) != next) continue;   \
      seen;                                                                     \
      const int task = a[next];                                                 \
      a[512 + task] = task;                                                     \
      for (int child = 2 * task; child < 2 * task + 2 && child < 65; ++child) { \
        const int at = atomicAdd(c + 1, 1);                                     \
        a[at] = child;                                                          \
        published;                                                              \
        ready[at] = 1;                                                          \
      }                                                                         \
    }                                                                           \
  }
WORK_LIST(RIGHT, fences, DEVICE, DEVICE)
WORK_LIST(RACY, published_without_a_fence, , DEVICE)
WORK_LIST(RACY, taken_without_a_fence, DEVICE, )
