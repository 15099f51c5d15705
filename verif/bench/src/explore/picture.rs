//! The front as a picture: area against time, a dot for each point, as large as the share of kernels that it maps.

use super::front::{time_ns, Exploration};
use super::point::PointResult;
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 480.0;
/// Left, top, right and bottom of the frame within the picture.
const FRAME: [f64; 4] = [80.0, 40.0, 730.0, 420.0];

/// A scale from figures to places.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        // Room around what is drawn; a single figure stands in the middle.
        let room = ((high - low) * 0.08).max(high.abs() * 0.02).max(1e-9);
        Scale { low: low - room, high: high + room, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }
}

/// The picture; points that do not map what the front maps are not in it.
pub fn svg(found: &Exploration) -> String {
    let common = found.common();
    let has = |r: &&PointResult| {
        let maps = |name: &&str| r.kernels.iter().any(|k| k.name == *name && k.cycles.is_some());
        r.counts() && !common.is_empty() && common.iter().all(maps)
    };
    let points: Vec<&PointResult> = found.points.iter().filter(has).collect();
    let mm2 = |r: &PointResult| r.area_um2 as f64 / 1e6;
    let [left, top, right, bottom] = FRAME;
    let x = Scale::new(points.iter().map(|r| mm2(r)), left, right);
    let y = Scale::new(points.iter().map(|r| time_ns(r, &common)), bottom, top);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n\
         <rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#999999\"/>\n\
         <text x=\"{left}\" y=\"24\" font-size=\"14\">{}: {} points, the front in colour, labels are kernels mapped</text>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">area, mm2 (model)</text>\n\
         <text x=\"20\" y=\"{}\" text-anchor=\"middle\" transform=\"rotate(-90 20 {})\">cycles x period, ns (geometric mean)</text>\n",
        right - left,
        bottom - top,
        escaped(&found.base),
        points.len(),
        (left + right) / 2.0,
        HEIGHT - 16.0,
        (top + bottom) / 2.0,
        (top + bottom) / 2.0,
    );
    if points.is_empty() {
        return text + "</svg>\n";
    }
    for k in 0..=4 {
        let share = f64::from(k) / 4.0;
        let (area, time) = (x.low + share * (x.high - x.low), y.low + share * (y.high - y.low));
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{area:.2}</text>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{time:.0}</text>",
            x.at(area),
            bottom + 18.0,
            left - 6.0,
            y.at(time) + 4.0,
        );
    }
    // The front above the rest.
    let on_front = |r: &PointResult| found.front.contains(&r.point);
    for front in [false, true] {
        for r in points.iter().filter(|r| on_front(r) == front) {
            let (cx, cy) = (x.at(mm2(r)), y.at(time_ns(r, &common)));
            let radius = 3.0 + 5.0 * r.mapped as f64 / r.kernels.len().max(1) as f64;
            let fill = if front { "#c2410c" } else { "#bbbbbb" };
            let _ = writeln!(
                text,
                "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"{radius:.1}\" fill=\"{fill}\" fill-opacity=\"0.8\"><title>{} {}: {} of {} \
                 kernels, {:.3} mm2, {:.2} ns</title></circle>",
                r.point,
                escaped(&r.label),
                r.mapped,
                r.kernels.len(),
                mm2(r),
                f64::from(r.period_ps) / 1e3,
            );
            if front {
                let _ =
                    writeln!(text, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", cx + 9.0, cy - 7.0, r.mapped);
            }
        }
    }
    text + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
