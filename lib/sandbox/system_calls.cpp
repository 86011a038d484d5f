#include "sandbox/system_calls.h"

#include <asm/sockios.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <initializer_list>
#include <vector>

#include "util/errno_error.h"

namespace fib::sandbox {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "the sandbox knows x86-64 and aarch64 only"
#endif

// Calls that reach into other processes or change the machine, which nobody tries who computes: they end the
// process that makes them, and the end of a worker tells of the attempt.
const std::vector<long>& fatal_calls() {
  static const std::vector<long> calls = {SYS_ptrace,
                                          SYS_pidfd_getfd,
                                          SYS_setns,
                                          SYS_mount,
                                          SYS_umount2,
                                          SYS_pivot_root,
                                          SYS_chroot,
                                          SYS_bpf,
                                          SYS_init_module,
                                          SYS_finit_module,
                                          SYS_delete_module,
                                          SYS_kexec_load,
                                          SYS_reboot,
                                          SYS_swapon,
                                          SYS_swapoff,
                                          SYS_sethostname,
                                          SYS_settimeofday,
                                          SYS_clock_settime,
                                          SYS_open_by_handle_at,
#ifdef SYS_mount_setattr
                                          SYS_mount_setattr,
                                          SYS_fsopen,
                                          SYS_fsmount,
                                          SYS_fsconfig,
                                          SYS_move_mount,
                                          SYS_open_tree,
#endif
                                          SYS_kexec_file_load};
  return calls;
}

// Calls that make or reach other processes, or change what the kernel lets this one do, and that libraries
// try which do without them.
const std::vector<long>& refused_calls() {
  static const std::vector<long> calls = {
      SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_open, SYS_pidfd_send_signal, SYS_kcmp,
      SYS_unshare, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_clock_adjtime, SYS_adjtimex,
      SYS_perf_event_open, SYS_rt_sigqueueinfo, SYS_tkill,
      // ways around the filter
      SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
      // memory that RLIMIT_DATA does not count and that outlives the process
      SYS_shmget, SYS_msgget, SYS_semget, SYS_mq_open, SYS_memfd_secret,
      // what others have made of it: an id or a name is enough
      SYS_shmat, SYS_shmctl, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_semop, SYS_semtimedop, SYS_semctl,
      SYS_mq_unlink, SYS_mq_timedsend, SYS_mq_timedreceive, SYS_mq_notify, SYS_mq_getsetattr,
      // a timer may send SIGCONT to a process that was stopped, and a thread whose calls a filter leaves to
      // another one's answer takes no SIGSTOP meanwhile
      SYS_timer_create, SYS_seccomp,
      // news of others' files, and faults that others handle
      SYS_fanotify_init, SYS_userfaultfd,
      // locks on files that fib writes, and other processes' priorities
      SYS_setpriority, SYS_ioprio_set, SYS_sched_setscheduler, SYS_sched_setattr, SYS_sched_setparam};
  return calls;
}

// Of which the system, or the user, has few for all processes together. Libraries do without.
constexpr long kScarceCalls[] = {SYS_io_setup,
#ifdef SYS_inotify_init
                                 SYS_inotify_init,
#endif
                                 SYS_inotify_init1};

constexpr long kNetworkCalls[] = {SYS_socket, SYS_connect, SYS_bind, SYS_listen};

// Calls that change what a file is to others, not what is in it. A mount that is read-only refuses them;
// without one nothing does, as Landlock does not know them.
const std::vector<long>& metadata_calls() {
  static const std::vector<long> calls = {
#ifdef SYS_chmod
      SYS_chmod,     SYS_chown,     SYS_lchown,      SYS_utime,        SYS_utimes,      SYS_futimesat,
#endif
      SYS_fchmod,    SYS_fchmodat,  SYS_fchown,      SYS_fchownat,     SYS_utimensat,   SYS_setxattr,
      SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr};
  return calls;
}
// Newer than the headers that fib is built with: fchmodat2, setxattrat, removexattrat, file_setattr.
constexpr long kNewMetadataCalls[] = {452, 463, 466, 469};

// Calls that make other processes, or other programs of this one.
const std::vector<long>& process_calls() {
  static const std::vector<long> calls = {
#ifdef SYS_fork
      SYS_fork, SYS_vfork,
#endif
      SYS_execve, SYS_execveat};
  return calls;
}

constexpr std::uint32_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

// Commands that lock files, and that have the kernel send signals to others.
constexpr std::uint32_t kLockingFcntl[] = {F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW};
constexpr std::uint32_t kRefusedFcntl[] = {F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY};
constexpr std::uint32_t kRefusedIoctl[] = {FIOSETOWN, SIOCSPGRP, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR};
// The kind of a socket, without its flags.
constexpr std::uint32_t kKindsOfSockets = 0xf;

constexpr std::uint32_t offset_of_argument(unsigned index) {
  // The low half of a 64-bit argument; both supported machines are little-endian.
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args)) + 8 * index;
}

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, kArchitecture, 1, 0);
    answer(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    jump(BPF_JGE, 0x40000000U, 0, 1);  // the x32 calls are other numbers for the same doors
    answer(SECCOMP_RET_KILL_PROCESS);
#endif
  }
  void end(long call) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
    answer(SECCOMP_RET_KILL_PROCESS);
  }
  void refuse(long call, std::uint32_t error) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
    answer(SECCOMP_RET_ERRNO | error);
  }
  // Refuses `call` when its argument, and-ed with `mask`, equals `value`.
  void refuse_value(long call, unsigned argument, std::uint32_t value, std::uint32_t mask = ~0U) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 5);
    load(offset_of_argument(argument));
    add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    jump(BPF_JEQ, value, 0, 1);
    answer(SECCOMP_RET_ERRNO | EPERM);
    load(offsetof(seccomp_data, nr));
  }
  // Lets `call` pass only if its argument, and-ed with `mask`, equals one of `values`; `error` is what else
  // it returns. The last that is said of this call: what matches passes.
  void require(long call, unsigned argument, std::uint32_t mask, std::initializer_list<std::uint32_t> values,
               std::uint32_t error = EPERM) {
    auto left = static_cast<std::uint8_t>(values.size());
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, static_cast<std::uint8_t>(left + 4));
    load(offset_of_argument(argument));
    add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    for (const std::uint32_t value : values) jump(BPF_JEQ, value, left--, 0);
    answer(SECCOMP_RET_ERRNO | error);
    answer(SECCOMP_RET_ALLOW);
  }
  void install() {
    answer(SECCOMP_RET_ALLOW);
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) {
      throw util::errno_error("cannot install the sandbox's system call filter");
    }
  }

 private:
  void add(sock_filter instruction) { code_.push_back(instruction); }
  void load(std::size_t offset) {
    add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void jump(int operation, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
    add(BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | operation | BPF_K), value, if_true, if_false));
  }
  void answer(std::uint32_t action) { add(BPF_STMT(BPF_RET | BPF_K, action)); }
  std::vector<sock_filter> code_;
};

constexpr std::uint32_t kPretendSuccess = 0;

// A child that escaped its ancestor's sight could work unseen, and one that left its group could outlive it.
void allow_processes(Filter& filter) {
  filter.refuse(SYS_setsid, kPretendSuccess);
  filter.refuse(SYS_setpgid, kPretendSuccess);
  // The signal that a parent gets when its child ends is the child's to choose: SIGCONT would let a worker
  // that was stopped go on.
  // A process that shares its parent's memory while both run could compute for it in next to no time, and be
  // gone before anybody has looked at what it used: threads do that. Who calls vfork() waits, but not its
  // other threads.
  constexpr std::uint32_t kVfork = CLONE_VM | CLONE_VFORK;
  filter.require(
      SYS_clone, 0, kNamespaces | CLONE_PARENT | CSIGNAL | CLONE_VM | CLONE_VFORK | CLONE_THREAD,
      {0, SIGCHLD, CLONE_VFORK, CLONE_VFORK | SIGCHLD, kVfork, kVfork | SIGCHLD, CLONE_VM | CLONE_THREAD});
  filter.refuse_value(SYS_prctl, 0, PR_SET_CHILD_SUBREAPER);
}

void refuse_processes(Filter& filter) {
  for (const long call : process_calls()) filter.refuse(call, EPERM);
  // A main thread that waits for another one, as in vfork(), keeps a SIGSTOP from all others.
  filter.require(SYS_clone, 0, CLONE_THREAD | CLONE_VFORK, {CLONE_THREAD});
}

void allow_tools(Filter& filter) { filter.require(SYS_socket, 0, ~0U, {AF_UNIX}); }

void refuse_tools(Filter& filter) {
  filter.refuse(SYS_memfd_create, ENOSYS);
  for (const long call : kNetworkCalls) filter.refuse(call, EPERM);
  for (const std::uint32_t command : kLockingFcntl) filter.refuse_value(SYS_fcntl, 1, command);
  const auto self = static_cast<std::uint32_t>(::getpid());
  // Processes that are stopped go on when fib says so.
  filter.refuse_value(SYS_kill, 1, SIGCONT);
  filter.refuse_value(SYS_tgkill, 2, SIGCONT);
  filter.refuse_value(SYS_rt_tgsigqueueinfo, 2, SIGCONT);
  filter.require(SYS_kill, 0, ~0U, {self});
  filter.require(SYS_tgkill, 0, ~0U, {self});
  filter.require(SYS_rt_tgsigqueueinfo, 0, ~0U, {self});
}

}  // namespace

void refuse_system_calls(const SystemCallDoors& doors) {
  Filter filter;
  for (const long call : fatal_calls()) filter.end(call);
  for (const long call : refused_calls()) filter.refuse(call, EPERM);
  for (const long call : kScarceCalls) filter.refuse(call, ENOSYS);
  doors.tools ? allow_tools(filter) : refuse_tools(filter);
  filter.refuse(SYS_clone3, ENOSYS);
  doors.processes ? allow_processes(filter) : refuse_processes(filter);
  filter.refuse_value(SYS_prctl, 0, PR_SET_PDEATHSIG);  // a worker dies with its keeper
  filter.refuse_value(SYS_prctl, 0, PR_SET_SECCOMP);
  if (!doors.locks) filter.refuse(SYS_flock, EPERM);
  filter.require(SYS_prlimit64, 0, ~0U, {0});
  // A thread that is not pinned works as well; the thread asked for may be another process's.
  filter.require(SYS_sched_setaffinity, 0, ~0U, {0}, kPretendSuccess);
  // Pairs that are connected for good. A pair of datagrams (of AF_UNIX, raw ones too) can be sent to any
  // address.
  for (const std::uint32_t kind : {SOCK_DGRAM, SOCK_RAW, SOCK_RDM}) {
    filter.refuse_value(SYS_socketpair, 1, kind, kKindsOfSockets);
  }
  filter.require(SYS_socketpair, 0, ~0U, {AF_UNIX});
  if (!doors.metadata) {
    for (const long call : metadata_calls()) filter.refuse(call, kPretendSuccess);
    for (const long call : kNewMetadataCalls) filter.refuse(call, kPretendSuccess);
  }
  for (const std::uint32_t command : kRefusedFcntl) filter.refuse_value(SYS_fcntl, 1, command);
  for (const std::uint32_t command : kRefusedIoctl) filter.refuse_value(SYS_ioctl, 1, command);
  filter.install();
}

}  // namespace fib::sandbox
