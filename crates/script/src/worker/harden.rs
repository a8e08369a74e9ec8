//! What a worker gives up. Each step stands alone: where a system does not have one, the others still hold.

#[cfg(target_os = "linux")]
use crate::limits::MEMORY_BESIDE;
use crate::limits::{CPU_SECONDS_MAX, NICENESS};

/// Lets go of what came from the parent: descriptors, importance, and life without it.
pub(super) fn detach() {
    // SAFETY: plain system calls on this process, which has one thread and uses no descriptor but the first three.
    unsafe {
        #[cfg(target_os = "linux")]
        {
            libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32);
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        }
        libc::setpriority(libc::PRIO_PROCESS, 0, NICENESS);
        for (resource, most) in [(libc::RLIMIT_CORE, 0), (libc::RLIMIT_FSIZE, 0), (libc::RLIMIT_CPU, CPU_SECONDS_MAX)] {
            limit(resource, most);
        }
    }
}

/// Lets go of the rest, once the machine is started: memory beyond the limits, files, processes, and most system calls.
pub(super) fn confine() {
    // What is in use is read from a file, so this comes before files are given up.
    #[cfg(target_os = "linux")]
    if let Some(used) = address_space() {
        limit(libc::RLIMIT_AS, used + MEMORY_BESIDE);
    }
    limit(libc::RLIMIT_NOFILE, 0);
    limit(libc::RLIMIT_NPROC, 0);
    #[cfg(target_os = "linux")]
    seccomp::filter();
}

/// Has the kernel end this process once it has used so much more of the processor; 0 takes that back. What the parent cannot do
/// in time on a busy machine, the kernel does.
pub(super) fn end_after(cpu_us: u64) {
    let (seconds, rest_us) = (cpu_us / 1_000_000, cpu_us % 1_000_000);
    let value = libc::timeval { tv_sec: seconds as _, tv_usec: rest_us as _ };
    let timer = libc::itimerval { it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 }, it_value: value };
    // SAFETY: reads our own variable. Nothing catches the signal, so it ends the process.
    unsafe { libc::setitimer(libc::ITIMER_PROF, &raw const timer, std::ptr::null_mut()) };
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
type Resource = libc::c_int;

fn limit(resource: Resource, most: u64) {
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: reads our own variable.
    unsafe { libc::setrlimit(resource, &raw const limit) };
}

/// Bytes of addresses that the process has now; the region of the machine is among them.
#[cfg(target_os = "linux")]
fn address_space() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').next()?.parse().ok()?;
    Some(pages * 4096)
}

/// The system calls that a worker still may make: read orders, write answers, ask for memory, look at its own clock, end.
#[cfg(target_os = "linux")]
mod seccomp {
    #[cfg(target_arch = "x86_64")]
    const ARCHITECTURE: u32 = 0xc000_003e;
    #[cfg(target_arch = "aarch64")]
    const ARCHITECTURE: u32 = 0xc000_00b7;
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    const ARCHITECTURE: u32 = 0;

    const ALLOWED: [libc::c_long; 21] = [
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_recvfrom,
        libc::SYS_sendto,
        libc::SYS_clock_gettime,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_getrandom,
        libc::SYS_sched_yield,
        libc::SYS_rt_sigreturn,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_close,
        libc::SYS_setitimer,
    ];
    /// Allowed unless memory would become code.
    const ALLOWED_WITHOUT_EXEC: [libc::c_long; 2] = [libc::SYS_mmap, libc::SYS_mprotect];

    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const JUMP_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const JUMP_SET: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    /// Where the number of the call, the architecture and the third argument stand in what the filter looks at.
    const NUMBER: u32 = 0;
    const ARCHITECTURE_AT: u32 = 4;
    const THIRD_ARGUMENT: u32 = 32;

    const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
    const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;
    /// The call fails with "not permitted"; a library that can do without goes on.
    const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | (libc::EPERM as u32);

    /// Installs the filter, where the system has one. It cannot be taken back.
    pub(super) fn filter() {
        if ARCHITECTURE == 0 {
            return;
        }
        let step = |code: u16, jt: u8, jf: u8, k: u32| libc::sock_filter { code, jt, jf, k };
        let mut program = vec![
            step(LOAD, 0, 0, ARCHITECTURE_AT),
            step(JUMP_EQUAL, 1, 0, ARCHITECTURE),
            step(RETURN, 0, 0, KILL),
            step(LOAD, 0, 0, NUMBER),
        ];
        for call in ALLOWED {
            program.push(step(JUMP_EQUAL, 0, 1, call as u32));
            program.push(step(RETURN, 0, 0, ALLOW));
        }
        for call in ALLOWED_WITHOUT_EXEC {
            program.push(step(JUMP_EQUAL, 0, 4, call as u32));
            program.push(step(LOAD, 0, 0, THIRD_ARGUMENT));
            program.push(step(JUMP_SET, 0, 1, libc::PROT_EXEC as u32));
            program.push(step(RETURN, 0, 0, REFUSE));
            program.push(step(RETURN, 0, 0, ALLOW));
        }
        program.push(step(RETURN, 0, 0, REFUSE));
        let Ok(len) = u16::try_from(program.len()) else { return };
        let program = libc::sock_fprog { len, filter: program.as_mut_ptr() };
        // SAFETY: the kernel copies the program.
        unsafe {
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program);
        }
    }
}
