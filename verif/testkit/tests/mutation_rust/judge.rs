//! Tests, what they reach, and what becomes of a mutant.

use rayon::prelude::*;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Kilobytes of memory a test may take; a mutant that never stops growing must not take the machine with it.
const MEMORY: usize = 4_000_000;
/// Tests that take no longer run in one process, before all others.
const SHORT: Duration = Duration::from_millis(400);

/// Tests that take longer than all others of their crate, and ask the mapper or the hardware rather than what is mutated.
const SLOW: &[&str] = &[
    "every_kernel_reaches_its_interval",
    "every_module_of_the_fabrics_is_printed_as_it_is_evaluated",
    "more_hardware_never_gives_a_worse_interval",
    "packing_and_decoding_are_inverse",
    "random_graphs_are_mapped_legally_or_refused",
    "the_same_inputs_give_the_same_mapping",
];

/// A test and what it reaches.
pub struct Test {
    /// Folder of its crate.
    pub member: String,
    pub binary: PathBuf,
    pub name: String,
    pub time: Duration,
    pub reaches: BTreeSet<u32>,
}

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Killed,
    /// The tests did not end in the time they have.
    Timeout,
    Survives,
    /// No test comes there.
    Unreached,
}

/// Runs every test alone, without a mutant, and notes what it reaches. Quick ones first.
pub fn tests(binaries: &[(String, PathBuf)], scratch: &Path) -> Vec<Test> {
    let mut names: Vec<(String, PathBuf, String)> = Vec::new();
    for (member, binary) in binaries {
        let output =
            Command::new(binary).args(["--list", "--format", "terse"]).output().expect("a test binary runs");
        let list = String::from_utf8_lossy(&output.stdout).into_owned();
        let of = list.lines().filter_map(|l| l.strip_suffix(": test"));
        let quick = of.filter(|name| !SLOW.contains(name));
        names.extend(quick.map(|name| (member.clone(), binary.clone(), name.to_string())));
    }
    let alone = |(at, (member, binary, name)): (usize, (String, PathBuf, String))| {
        let notes = scratch.join(format!("notes-{at}"));
        let _ = std::fs::remove_file(&notes);
        let start = Instant::now();
        let mut command = test(&binary, &[&name], Duration::from_secs(600));
        command.env("LOOM_MUTANT_NOTES", &notes).stdout(Stdio::null());
        let status = command.status().expect("a test runs");
        assert!(status.success(), "{name} of {} fails without a mutant", binary.display());
        let text = std::fs::read_to_string(&notes).unwrap_or_default();
        let reaches = text.lines().filter_map(|l| l.parse().ok()).collect();
        Test { member, binary, name, time: start.elapsed(), reaches }
    };
    let mut tests: Vec<Test> = names.into_par_iter().enumerate().map(alone).collect();
    tests.retain(|t| !t.reaches.is_empty());
    tests.sort_by(|a, b| (a.time, &a.binary, &a.name).cmp(&(b.time, &b.binary, &b.name)));
    tests
}

/// A process for some tests of a binary, with limits. Time is the processor's, which the load of the machine does not change.
fn test(binary: &Path, names: &[&str], time: Duration) -> Command {
    let mut command = Command::new("sh");
    let limits = format!("ulimit -t {}; ulimit -v {MEMORY}; exec \"$0\" \"$@\"", time.as_secs());
    command.args(["-c", &limits]).arg(binary).arg("--exact").args(names);
    // Tests name their data from the crate's folder on, as under cargo.
    command.env("RUST_TEST_THREADS", "1").env("RAYON_NUM_THREADS", "1").env("RUST_BACKTRACE", "0");
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs the tests of some crates that reach a mutant until one fails.
pub fn judge(mutant: u32, tests: &[Test], members: &[&str]) -> Fate {
    let asked = |t: &&Test| members.contains(&t.member.as_str()) && t.reaches.contains(&mutant);
    let reaching: Vec<&Test> = tests.iter().filter(asked).collect();
    if reaching.is_empty() {
        return Fate::Unreached;
    }
    let short = reaching.partition_point(|t| t.time <= SHORT);
    let mut groups: Vec<Vec<&Test>> = Vec::new();
    for test in &reaching[..short] {
        match groups.iter_mut().find(|g| g[0].binary == test.binary) {
            Some(group) => group.push(test),
            None => groups.push(vec![test]),
        }
    }
    groups.extend(reaching[short..].iter().map(|t| vec![*t]));
    groups.iter().find_map(|group| fails(mutant, group)).unwrap_or(Fate::Survives)
}

fn fails(mutant: u32, group: &[&Test]) -> Option<Fate> {
    let names: Vec<&str> = group.iter().map(|t| t.name.as_str()).collect();
    let usual: Duration = group.iter().map(|t| t.time).sum();
    let mut command = test(&group[0].binary, &names, Duration::from_secs(4) + usual * 8);
    let mut child =
        command.env("LOOM_MUTANT", mutant.to_string()).stdout(Stdio::piped()).spawn().expect("a test runs");
    // The first failure decides; the rest need not run.
    for line in BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok) {
        if line.starts_with("test ") && line.ends_with("FAILED") {
            let _ = child.kill();
            let _ = child.wait();
            return Some(Fate::Killed);
        }
    }
    let status = child.wait().expect("a test ends");
    match (status.success(), status.signal()) {
        (true, _) => None,
        // Out of processor time: SIGXCPU, or SIGKILL where both limits are one.
        (false, Some(24 | 9)) => Some(Fate::Timeout),
        (false, _) => Some(Fate::Killed),
    }
}
