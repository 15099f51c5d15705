//! A browser without a window, spoken with over its DevTools protocol: one page, one command at a time.

use serde_json::{json, Value};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tungstenite::{client, Message, WebSocket};

/// A running browser with one page.
pub struct Browser {
    child: Child,
    socket: WebSocket<TcpStream>,
    session: Option<String>,
    next: u64,
    /// Errors on the console, and requests for anything but files and data.
    pub trouble: Vec<String>,
}

impl Browser {
    /// Starts chromium with a profile of its own in `folder`.
    pub fn start(folder: &Path) -> Browser {
        let mut child = Command::new("chromium")
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--remote-debugging-port=0",
            ])
            .args(["--no-first-run", "--disable-background-networking"])
            .arg(format!("--user-data-dir={}", folder.display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("chromium: `make test-view` installs it");
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let address = lines
            .map_while(Result::ok)
            .find_map(|l| l.strip_prefix("DevTools listening on ").map(String::from))
            .expect("the browser says where it listens");
        let host = address.trim_start_matches("ws://").split('/').next().expect("a host");
        let stream = TcpStream::connect(host).expect("the browser listens");
        let (socket, _) = client(address.as_str(), stream).expect("a websocket");
        let mut browser = Browser { child, socket, session: None, next: 0, trouble: Vec::new() };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(String::from);
        for domain in ["Page.enable", "Runtime.enable", "Network.enable", "Log.enable"] {
            browser.call(domain, json!({}));
        }
        browser
    }

    /// A command and its answer; what happens meanwhile is looked at.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(message.to_string())).expect("the browser is there");
        loop {
            let event = self.event();
            if event["id"] == json!(self.next) {
                assert!(event["error"].is_null(), "{method}: {}", event["error"]);
                return event["result"].clone();
            }
        }
    }

    fn event(&mut self) -> Value {
        let text = self.socket.read().expect("the browser answers").into_text().expect("text");
        let event: Value = serde_json::from_str(&text).expect("JSON");
        let params = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.trouble.push(params["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if params["type"] == "error" => {
                self.trouble.push(params["args"].to_string())
            }
            "Log.entryAdded" if params["entry"]["level"] == "error" => {
                self.trouble.push(params["entry"]["text"].to_string());
            }
            "Network.requestWillBeSent" => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                if !["file:", "data:", "about:", "chrome"].iter().any(|own| url.starts_with(own)) {
                    self.trouble.push(format!("a request to {url}"));
                }
            }
            _ => {}
        }
        event
    }

    /// Opens a file at a size of the window and waits until it is loaded.
    pub fn open(&mut self, file: &Path, (width, height): (u32, u32), hash: &str) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.call("Page.navigate", json!({ "url": format!("file://{}{hash}", file.display()) }));
        for _ in 0..200 {
            let there = "document.readyState === 'complete' && typeof KEYS === 'object' && !floor.dirty";
            if self.ask(there) == json!(true) {
                return;
            }
            self.ask("new Promise((done) => setTimeout(done, 25))");
        }
        panic!("{} does not load", file.display());
    }

    /// The value of an expression in the page.
    pub fn ask(&mut self, expression: &str) -> Value {
        let ask = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        self.call("Runtime.evaluate", ask)["result"]["value"].clone()
    }

    /// A click at a place of the window.
    pub fn click(&mut self, x: f64, y: f64) {
        for what in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let click = json!({ "type": what, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", click);
        }
    }

    /// What is to be seen, as a PNG.
    pub fn shot(&mut self) -> Vec<u8> {
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let digit = |c: u8| match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        let text = shot["data"].as_str().expect("a picture").trim_end_matches('=');
        let four = |four: &[u8]| {
            let word = four.iter().fold(0u32, |w, &c| w << 6 | u32::from(digit(c))) << (6 * (4 - four.len()));
            word.to_be_bytes()[1..four.len()].to_vec()
        };
        text.as_bytes().chunks(4).flat_map(four).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
