/** The system call numbers of a processor, for the seccomp filter. */
export interface SyscallTable {
  /** The kernel's AUDIT_ARCH_* value. */
  readonly arch: number;
  /** True when the kernel also accepts x32 numbers (from 2^30). */
  readonly hasX32: boolean;
  /** Calls that always fail with EPERM. */
  readonly denied: Readonly<Record<string, number>>;
  /** Calls that create file watches, which fail with EMFILE. */
  readonly watches: Readonly<Record<string, number>>;
  readonly socket: number;
  readonly socketpair: number;
  readonly clone: number;
  readonly clone3: number;
  readonly ioctl: number;
  readonly openat2: number;
  /** Calls that set a file's mode, with the index of the mode argument. */
  readonly modes: Readonly<Record<string, ModeCall>>;
  /** Calls whose mode argument counts only when their flags create a file. */
  readonly opens: Readonly<Record<string, OpenCall>>;
}

export interface ModeCall {
  readonly number: number;
  readonly mode: number;
}

export interface OpenCall extends ModeCall {
  readonly flags: number;
}

/** Newer calls, with equal numbers on all processors. */
const NEW_CALLS = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  mount_setattr: 442,
  quotactl_fd: 443,
  statmount: 457,
  listmount: 458,
  lsm_set_self_attr: 460,
  open_tree_attr: 467,
};

const FCHMODAT2: ModeCall = { number: 452, mode: 2 };
const OPENAT2 = 437;

const X64: SyscallTable = {
  arch: 0xc000003e,
  hasX32: true,
  denied: {
    ...NEW_CALLS,
    uselib: 134,
    personality: 135,
    ustat: 136,
    sysfs: 139,
    ptrace: 101,
    syslog: 103,
    vhangup: 153,
    modify_ldt: 154,
    pivot_root: 155,
    sysctl: 156,
    adjtimex: 159,
    chroot: 161,
    acct: 163,
    settimeofday: 164,
    mount: 165,
    umount2: 166,
    swapon: 167,
    swapoff: 168,
    reboot: 169,
    sethostname: 170,
    setdomainname: 171,
    iopl: 172,
    ioperm: 173,
    create_module: 174,
    init_module: 175,
    delete_module: 176,
    quotactl: 179,
    nfsservctl: 180,
    lookup_dcookie: 212,
    clock_settime: 227,
    mbind: 237,
    set_mempolicy: 238,
    migrate_pages: 256,
    kexec_load: 246,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    unshare: 272,
    vmsplice: 278,
    move_pages: 279,
    perf_event_open: 298,
    fanotify_init: 300,
    name_to_handle_at: 303,
    open_by_handle_at: 304,
    clock_adjtime: 305,
    setns: 308,
    process_vm_readv: 310,
    process_vm_writev: 311,
    kcmp: 312,
    finit_module: 313,
    kexec_file_load: 320,
    bpf: 321,
    userfaultfd: 323,
  },
  watches: { inotify_init: 253, inotify_init1: 294 },
  socket: 41,
  socketpair: 53,
  clone: 56,
  clone3: 435,
  ioctl: 16,
  openat2: OPENAT2,
  modes: {
    mkdir: { number: 83, mode: 1 },
    creat: { number: 85, mode: 1 },
    chmod: { number: 90, mode: 1 },
    fchmod: { number: 91, mode: 1 },
    mknod: { number: 133, mode: 1 },
    mkdirat: { number: 258, mode: 2 },
    mknodat: { number: 259, mode: 2 },
    fchmodat: { number: 268, mode: 2 },
    fchmodat2: FCHMODAT2,
  },
  opens: {
    open: { number: 2, flags: 1, mode: 2 },
    openat: { number: 257, flags: 2, mode: 3 },
  },
};

const ARM64: SyscallTable = {
  arch: 0xc00000b7,
  hasX32: false,
  denied: {
    ...NEW_CALLS,
    lookup_dcookie: 18,
    umount2: 39,
    mount: 40,
    pivot_root: 41,
    nfsservctl: 42,
    chroot: 51,
    vhangup: 58,
    quotactl: 60,
    vmsplice: 75,
    acct: 89,
    personality: 92,
    unshare: 97,
    kexec_load: 104,
    init_module: 105,
    delete_module: 106,
    clock_settime: 112,
    syslog: 116,
    ptrace: 117,
    reboot: 142,
    sethostname: 161,
    setdomainname: 162,
    settimeofday: 170,
    adjtimex: 171,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    swapon: 224,
    swapoff: 225,
    mbind: 235,
    set_mempolicy: 237,
    migrate_pages: 238,
    move_pages: 239,
    perf_event_open: 241,
    fanotify_init: 262,
    name_to_handle_at: 264,
    open_by_handle_at: 265,
    clock_adjtime: 266,
    setns: 268,
    process_vm_readv: 270,
    process_vm_writev: 271,
    kcmp: 272,
    finit_module: 273,
    bpf: 280,
    userfaultfd: 282,
    kexec_file_load: 294,
  },
  watches: { inotify_init1: 26 },
  socket: 198,
  socketpair: 199,
  clone: 220,
  clone3: 435,
  ioctl: 29,
  openat2: OPENAT2,
  modes: {
    mknodat: { number: 33, mode: 2 },
    mkdirat: { number: 34, mode: 2 },
    fchmod: { number: 52, mode: 1 },
    fchmodat: { number: 53, mode: 2 },
    fchmodat2: FCHMODAT2,
  },
  opens: { openat: { number: 56, flags: 2, mode: 3 } },
};

/** By Node's processor name; only processors that were verified. */
export const syscallTables: Readonly<Record<string, SyscallTable>> = { x64: X64, arm64: ARM64 };
