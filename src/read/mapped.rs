//! One regular file, and the only place where the bytes of an export are touched before they
//! are copied.
//!
//! Decided here: how a file is read (mapped, or with `pread` where a map cannot be had), and that
//! a file which shrinks or fails under us is an error of the run, never a signal and never zeros
//! that pass for content. Trusted: the length at opening, and nothing about the bytes. A file
//! that grows later is judged at that length.
//!
//! A mapped page that the file no longer reaches raises SIGBUS. The handler below maps a page of
//! zeros over it, so that the copy can come to its end, and marks the mapping *before* it does;
//! [`Mapped::copy`] looks at the mark after each copy and throws the zeros away. An I/O error of
//! the disk arrives in the same way. Truncation inside a page raises nothing at all (the kernel
//! fills the rest of the page with zeros), so that the file's length is asked for as well.
#![allow(unsafe_code)] // mapping, its signal handler and the copy out of the map: nowhere else

use std::fs::File;
use std::io;
use std::ops::Range;

use super::{Access, ReadError, Why};

/// A regular file of a known length.
#[derive(Debug)]
pub(super) struct Mapped {
    file: File,
    part: u32,
    length: u64,
    #[cfg(unix)]
    map: Option<signal::Map>,
}

impl Mapped {
    /// Takes over `file`, which is `length` bytes long and is part `part` of the export. Never
    /// fails: what cannot be mapped is read with `pread`.
    pub(super) fn new(file: File, length: u64, part: u32, access: Access) -> Self {
        Mapped {
            #[cfg(unix)]
            map: if access == Access::Mapped { signal::Map::new(&file, length) } else { None },
            file,
            part,
            length,
        }
    }

    /// Bytes of the file now; `None` if that cannot be found out.
    pub(super) fn length_now(&self) -> Option<u64> {
        self.file.metadata().ok().map(|metadata| metadata.len())
    }

    /// Appends the bytes in `range` to `into`. On an error `into` is as it was.
    pub(super) fn copy(&self, range: Range<u64>, into: &mut Vec<u8>) -> Result<(), ReadError> {
        let inside = range.start <= range.end && range.end <= self.length;
        let length = range.end.checked_sub(range.start).and_then(|length| usize::try_from(length).ok());
        let (true, Some(length)) = (inside, length) else {
            return Err(self.error(range.start, Why::Io("a range outside the file was asked for".to_owned())));
        };
        if length == 0 {
            return Ok(());
        }
        if into.try_reserve(length).is_err() {
            return Err(self.error(range.start, Why::Io(format!("no memory for {length} bytes"))));
        }
        #[cfg(unix)]
        if let Some(map) = &self.map {
            return self.copy_mapped(map, range, length, into);
        }
        self.copy_read(range, length, into)
    }

    #[cfg(unix)]
    fn copy_mapped(
        &self,
        map: &signal::Map,
        range: Range<u64>,
        length: usize,
        into: &mut Vec<u8>,
    ) -> Result<(), ReadError> {
        // `new` maps only what fits the address space, so the offset does too.
        let start = usize::try_from(range.start).unwrap_or(usize::MAX);
        let room = into.spare_capacity_mut();
        if room.len() < length || map.length().checked_sub(length).is_none_or(|last| start > last) {
            return Err(self.error(range.start, Why::Io("a range outside the map was asked for".to_owned())));
        }
        // SAFETY: the source is `length` bytes inside the live mapping (tested just above against
        // its length) and the destination is at least `length` bytes of spare capacity (likewise);
        // they cannot overlap, one being a file mapping and the other on the heap. Another process
        // may write to the file meanwhile: no reference to the mapped bytes exists, the copy takes
        // each byte as it is and nothing is concluded from it but the copy. A page that is gone
        // makes the handler put zeros there, which are not used (see below).
        unsafe { std::ptr::copy_nonoverlapping(map.start().add(start), room.as_mut_ptr().cast::<u8>(), length) };
        // The mark is set by a signal on this thread, or on another one before its zeros could be
        // seen here: the copy must be over before the mark is read.
        std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        let failed = map.failed();
        match self.length_now() {
            Some(now) if now < range.end => return Err(self.error(now, Why::Shrunk)),
            None => return Err(self.error(range.start, Why::Io("its length can no longer be read".to_owned()))),
            Some(_) if failed => {}
            Some(_) => {
                // SAFETY: the `length` bytes after `into.len()` were written by the copy above.
                unsafe { into.set_len(into.len() + length) };
                return Ok(());
            }
        }
        // The map failed, here or earlier, but the file is long enough: a read says why.
        let mut probe = [0_u8; 512];
        let mut at = range.start;
        while at < range.end {
            let step = usize::try_from(range.end - at).unwrap_or(usize::MAX).min(probe.len());
            match read_at(&self.file, &mut probe[..step], at) {
                Ok(0) => return Err(self.error(at, Why::Shrunk)),
                Ok(read) => at += read as u64,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(at, Why::Io(error.to_string()))),
            }
        }
        Err(self.error(range.start, Why::Io("the file was cut or failed while it was read".to_owned())))
    }

    fn copy_read(&self, range: Range<u64>, length: usize, into: &mut Vec<u8>) -> Result<(), ReadError> {
        let before = into.len();
        into.resize(before + length, 0);
        let mut done = 0;
        while done < length {
            let at = range.start + done as u64;
            let why = match read_at(&self.file, &mut into[before + done..], at) {
                Ok(0) => Why::Shrunk,
                Ok(read) => {
                    done += read;
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Why::Io(error.to_string()),
            };
            into.truncate(before);
            return Err(self.error(at, why));
        }
        Ok(())
    }

    fn error(&self, at: u64, why: Why) -> ReadError {
        ReadError { part: self.part, at, why }
    }
}

#[cfg(unix)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, into, at)
}

#[cfg(windows)]
fn read_at(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, into, at)
}

#[cfg(not(any(unix, windows)))]
fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The map and the SIGBUS handler that makes it survivable.
#[cfg(unix)]
mod signal {
    use std::fs::File;
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

    use memmap2::{Advice, MmapOptions, MmapRaw};

    /// Where a mapping is, for the handler. `start` is [`NOWHERE`] while the slot says nothing.
    struct Slot {
        taken: AtomicBool,
        start: AtomicUsize,
        end: AtomicUsize,
        failed: AtomicBool,
    }

    const NOWHERE: usize = usize::MAX;

    /// More files than this at once are read with `pread`: the handler cannot allocate.
    const SLOTS: usize = 256;

    static TABLE: [Slot; SLOTS] = [const {
        Slot {
            taken: AtomicBool::new(false),
            start: AtomicUsize::new(NOWHERE),
            end: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
        }
    }; SLOTS];

    impl Slot {
        /// Whether the mapping contains `address`. Reading `start` twice makes a pair of a start
        /// and an end that never belonged together (a slot given to another file in between)
        /// impossible: `end` is only written while `start` is [`NOWHERE`].
        fn holds(&self, address: usize) -> bool {
            let start = self.start.load(SeqCst);
            let end = self.end.load(SeqCst);
            start != NOWHERE && start <= address && address < end && self.start.load(SeqCst) == start
        }
    }

    /// A file mapped for reading, and known to the handler as long as it lives.
    #[derive(Debug)]
    pub(super) struct Map {
        raw: MmapRaw,
        slot: usize,
    }

    impl Map {
        /// `None` where there is nothing to map (0 bytes), or no way to.
        pub(super) fn new(file: &File, length: u64) -> Option<Self> {
            let length = usize::try_from(length).ok().filter(|length| (1..=isize::MAX as usize).contains(length))?;
            let page = ready()?;
            // A raw map: no `&[u8]` over bytes that another process may change ever exists.
            let raw = MmapOptions::new().len(length).map_raw_read_only(file).ok()?;
            // Only advice: where it is not taken the file is read all the same.
            let _ = raw.advise(Advice::Sequential);
            let start = raw.as_ptr() as usize;
            let end = start.checked_add(length)?.checked_next_multiple_of(page)?;
            let slot = TABLE.iter().position(|slot| !slot.taken.swap(true, SeqCst))?;
            let entry = &TABLE[slot];
            entry.failed.store(false, SeqCst);
            entry.end.store(end, SeqCst);
            entry.start.store(start, SeqCst);
            Some(Map { raw, slot })
        }

        /// Its first byte.
        pub(super) fn start(&self) -> *const u8 {
            self.raw.as_ptr()
        }

        /// Bytes mapped.
        pub(super) fn length(&self) -> usize {
            self.raw.len()
        }

        /// Whether a page of it could not be had, ever: zeros may stand in its place.
        pub(super) fn failed(&self) -> bool {
            TABLE[self.slot].failed.load(SeqCst)
        }
    }

    impl Drop for Map {
        fn drop(&mut self) {
            // Before the address range is given back (`raw` is dropped after this body), so that
            // the handler never takes somebody else's fault for ours.
            TABLE[self.slot].start.store(NOWHERE, SeqCst);
            TABLE[self.slot].taken.store(false, SeqCst);
        }
    }

    /// The size of a page, for the handler; 0 until it is installed.
    static PAGE: AtomicUsize = AtomicUsize::new(0);

    /// What SIGBUS did before.
    static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

    /// Installs the handler once in the life of the process; the page size if it stands.
    fn ready() -> Option<usize> {
        static READY: OnceLock<Option<usize>> = OnceLock::new();
        *READY.get_or_init(|| {
            // SAFETY: sysconf takes a constant and touches no memory of ours.
            let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok().filter(|page| *page > 0)?;
            PAGE.store(page, SeqCst);
            // What stands there is asked for first: the handler may run as soon as it is installed.
            let mut previous = MaybeUninit::<libc::sigaction>::zeroed();
            // SAFETY: a null new action only asks; `previous` is large enough and, zeroed, a valid
            // value of this plain C struct whatever the kernel leaves out.
            let previous = unsafe {
                (libc::sigaction(libc::SIGBUS, ptr::null(), previous.as_mut_ptr()) == 0)
                    .then(|| previous.assume_init())?
            };
            let _ = PREVIOUS.set(previous);
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_sigbus;
            // SAFETY: the struct is plain C data, valid when zeroed; `sigemptyset` gets a valid
            // pointer; the handler has the signature that SA_SIGINFO asks for and does only what
            // is safe in a signal handler (see there). SA_ONSTACK: a stack overflow, which is
            // SIGBUS on some systems, must still reach Rust's own handler.
            unsafe {
                let mut action = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
                action.sa_sigaction = handler as *const () as libc::sighandler_t;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigemptyset(&mut action.sa_mask);
                (libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) == 0).then_some(page)
            }
        })
    }

    /// Runs on the thread that touched a page which cannot be had.
    ///
    /// It allocates nothing, takes no lock and calls only `mmap`, `sigaction` and `raise`, each one
    /// system call. `errno` is changed only by a call that fails, after which the process dies of
    /// the signal.
    extern "C" fn on_sigbus(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: with SA_SIGINFO the kernel passes a valid siginfo_t; for a signal that it raised
        // itself (a code above 0) `si_addr` is the address of the fault, and it is not used else.
        let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
        if code > 0 && mend(address) {
            return;
        }
        // Not ours, or past help: as if this handler had never been there. A fault recurs on return
        // and finds the previous disposition; a signal that was sent is sent again.
        // SAFETY: both pointers are to a valid sigaction (`PREVIOUS` is a plain atomic read once
        // set, which happened before the handler was installed) or null; both calls are
        // async-signal-safe by POSIX.
        unsafe {
            let previous = PREVIOUS.get();
            let mut default = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            default.sa_sigaction = libc::SIG_DFL;
            libc::sigaction(libc::SIGBUS, previous.unwrap_or(&default), ptr::null_mut());
            if code <= 0 {
                libc::raise(libc::SIGBUS);
            }
        }
    }

    /// Puts zeros where the page at `address` was, if that lies in a mapping of ours.
    fn mend(address: usize) -> bool {
        let Some(slot) = TABLE.iter().find(|slot| slot.holds(address)) else { return false };
        let page = PAGE.load(SeqCst);
        if page == 0 {
            return false;
        }
        // First the mark, then the zeros: whoever sees the zeros, on any thread, sees the mark.
        slot.failed.store(true, SeqCst);
        // SAFETY: the page lies inside a mapping that `Map` owns and that stays mapped until this
        // thread's copy ends (the copy borrows the `Map`), so MAP_FIXED replaces a page of that file
        // mapping and nothing else; nobody holds a reference into it. The address is page-aligned.
        let mended = unsafe {
            libc::mmap(
                (address - address % page) as *mut libc::c_void,
                page,
                libc::PROT_READ,
                libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANON,
                -1,
                0,
            )
        };
        mended != libc::MAP_FAILED
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use memmap2::MmapOptions;

    use super::*;

    const CHILD: &str = "LEDGER_VERIFY_TEST_FOREIGN_FAULT";

    fn mapped(bytes: &[u8]) -> (tempfile::NamedTempFile, Mapped) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let opened = Mapped::new(file.reopen().unwrap(), bytes.len() as u64, 0, Access::Mapped);
        (file, opened)
    }

    #[test]
    fn regular_files_are_mapped_and_empty_ones_are_not() {
        assert!(mapped(b"{}\n").1.map.is_some());
        let (_file, empty) = mapped(b"");
        assert!(empty.map.is_none());
        empty.copy(0..0, &mut Vec::new()).unwrap();
    }

    /// The handler must not swallow what is not its own: the process dies as it would have.
    #[test]
    fn a_fault_in_a_foreign_map_still_kills() {
        if std::env::var_os(CHILD).is_none() {
            let status = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "read::mapped::tests::a_fault_in_a_foreign_map_still_kills"])
                .env(CHILD, "1")
                .status()
                .unwrap();
            assert_eq!(status.signal(), Some(libc::SIGBUS), "{status}");
            return;
        }
        let (file, ours) = mapped(&[b'x'; 100_000]);
        let foreign =
            MmapOptions::new().len(100_000).map_raw_read_only(ours.file.try_clone().as_ref().unwrap()).unwrap();
        file.as_file().set_len(0).unwrap();
        // Ours first: its handler runs and mends, and must still know the two apart.
        assert_eq!(ours.copy(0..50_000, &mut Vec::new()).unwrap_err().why, Why::Shrunk);
        // SAFETY: inside a live mapping; that its page is gone is what this is about.
        let byte = unsafe { foreign.as_ptr().add(50_000).read_volatile() };
        panic!("read {byte} where there is nothing");
    }
}
