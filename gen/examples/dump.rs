//! tmp
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&a[1]).unwrap();
    let adg = match loom_adg::toml::read(&loom_base::Source::new(&a[1], text.clone())) { Ok(a) => a, Err(d) => { for d in d { println!("{}", d.render(&loom_base::Source::new("f", text.clone()))); } return; } };
    let t = std::time::Instant::now();
    let flat = loom_adg::Flat::new(&adg);
    let layout = loom_adg::Layout::new(&adg, &flat);
    let f = loom_gen::elaborate(&adg, &flat, &layout).unwrap();
    let files = f.files();
    eprintln!("{:?} {} files {} bytes", t.elapsed(), files.len(), files.iter().map(|f| f.1.len()).sum::<usize>());
    std::fs::create_dir_all(&a[2]).unwrap();
    for (n, t) in files { std::fs::write(format!("{}/{n}", a[2]), t).unwrap(); }
    std::fs::write(format!("{}/filelist.f", a[2]), f.filelist().join("\n")).unwrap();
}
