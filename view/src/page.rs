//! The page: data, style and script in one file.

use crate::mapping::{self, FailureView};
use crate::{FabricView, GraphView, MappingView, RunView};
use loom_adg::Fabric;
use loom_map::Unmapped;
use schemars::JsonSchema;
use serde::Serialize;

const HTML: &str = include_str!("../assets/page.html");
const STYLE: &str = include_str!("../assets/page.css");
const SCRIPTS: [&str; 7] = [
    include_str!("../assets/model.js"),
    include_str!("../assets/floor.js"),
    include_str!("../assets/graph.js"),
    include_str!("../assets/panel.js"),
    include_str!("../assets/trace.js"),
    include_str!("../assets/play.js"),
    include_str!("../assets/start.js"),
];

/// A graph, and what is known of it on a fabric: `<dfg>.<adg>.viz.json`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MappingFile {
    /// `loom.mapping.viz`.
    pub format: String,
    /// Rises when a reader has to change.
    pub version: u32,
    /// The fabric's name; none of a graph alone.
    pub fabric: Option<String>,
    /// The graph.
    pub graph: GraphView,
    /// Where everything is.
    pub mapping: Option<MappingView>,
    /// A run of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunView>,
    /// Why there is no mapping.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureView>,
}

/// What a page shows.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    /// The fabric.
    pub fabric: Option<FabricView>,
    /// What is on it.
    pub file: Option<MappingFile>,
}

impl MappingFile {
    /// A graph alone.
    pub fn new(graph: GraphView) -> MappingFile {
        MappingFile {
            format: "loom.mapping.viz".into(),
            version: crate::VERSION,
            fabric: None,
            graph,
            mapping: None,
            run: None,
            failure: None,
        }
    }

    /// A graph that a fabric was not found to hold.
    pub fn failed(graph: GraphView, fabric: &Fabric, unmapped: &Unmapped) -> MappingFile {
        let failure = Some(mapping::failure(fabric, unmapped));
        MappingFile { fabric: Some(fabric.name().to_string()), failure, ..MappingFile::new(graph) }
    }

    /// A graph on a fabric.
    pub fn mapped(graph: GraphView, fabric: &FabricView, mapping: MappingView) -> MappingFile {
        MappingFile { fabric: Some(fabric.name.clone()), mapping: Some(mapping), ..MappingFile::new(graph) }
    }
}

/// A value as one line of JSON.
pub fn json<T: Serialize>(value: &T) -> String {
    let mut text = serde_json::to_string(value).expect("plain data");
    text.push('\n');
    text
}

impl Page {
    /// A fabric alone.
    pub fn of_fabric(fabric: FabricView) -> Page {
        Page { fabric: Some(fabric), file: None }
    }

    /// A graph alone.
    pub fn of_graph(graph: GraphView) -> Page {
        Page { fabric: None, file: Some(MappingFile::new(graph)) }
    }

    /// What the page is called.
    fn title(&self) -> String {
        match (&self.file, &self.fabric) {
            (Some(file), Some(fabric)) => format!("{} on {}", file.graph.name, fabric.name),
            (Some(file), None) => file.graph.name.clone(),
            (None, Some(fabric)) => fabric.name.clone(),
            (None, None) => "nothing to show".into(),
        }
    }

    /// The page.
    pub fn html(&self) -> String {
        // A `<` of the data could end the script it stands in.
        let data = json(self).replace('<', "\\u003c");
        let title = self.title().replace('&', "&amp;").replace('<', "&lt;");
        let mut html = String::with_capacity(data.len() + (1 << 17));
        let mut rest = HTML;
        // One pass over the template, so that nothing that is put in is taken for a place.
        while let Some((before, after)) = rest.split_once("{{") {
            let (name, after) = after.split_once("}}").expect("the template closes its places");
            html.push_str(before);
            match name {
                "title" => html.push_str(&title),
                "style" => html.push_str(STYLE),
                "data" => html.push_str(&data),
                _ => SCRIPTS.iter().for_each(|s| html.push_str(s)),
            }
            rest = after;
        }
        html.push_str(rest);
        html
    }
}
