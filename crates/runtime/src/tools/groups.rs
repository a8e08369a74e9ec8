//! The groups that ship with the program. Which of them are there, and what they may reach, is configured.

pub mod basic;
pub mod filesystem;
pub mod http;
mod http_file;
mod markdown;
#[cfg(feature = "script")]
mod program;
pub mod script;
#[cfg(feature = "script")]
pub mod scripts;
pub mod state;
pub mod web;

use super::registry::{Registry, RegistryError};
use super::tool::ToolGroup;
use std::path::PathBuf;

/// What the groups may reach.
#[derive(Debug, Clone, Default)]
pub struct GroupSettings {
    /// The folders of `filesystem`; without any the group is not there.
    pub roots: Vec<PathBuf>,
    /// Whether `web` is there.
    pub web: Option<web::WebSettings>,
    /// Files that describe groups over HTTP APIs.
    pub http_files: Vec<PathBuf>,
    /// The address and the token of a SiYuan kernel; without an address the group is not there.
    pub siyuan: Option<(String, String)>,
    /// The folder of custom scripts; without one there are none.
    pub scripts: Option<PathBuf>,
    /// Where the tool `Shell` of the group `script` runs commands; without a folder it is not there.
    pub shell: Option<PathBuf>,
}

/// Registers everything that the settings allow.
pub fn shipped(settings: &GroupSettings) -> Result<Registry, String> {
    let mut registry = Registry::default();
    let mut groups: Vec<ToolGroup> = vec![state::group(), basic::group(), script_group(settings)?];
    if !settings.roots.is_empty() {
        groups.push(filesystem::group(&settings.roots)?);
    }
    if let Some(web) = &settings.web {
        groups.push(web::group(web.clone()));
    }
    if let Some((address, token)) = &settings.siyuan {
        groups.push(http::siyuan(address, token)?);
    }
    for file in &settings.http_files {
        groups.push(http::read_file(file)?);
    }
    groups.extend(custom_scripts(settings)?);
    for group in groups {
        registry.register(group).map_err(|error: RegistryError| error.to_string())?;
    }
    Ok(registry)
}

#[cfg(feature = "script")]
fn script_group(settings: &GroupSettings) -> Result<ToolGroup, String> {
    let supervisor = tavernkeep_script::Supervisor::default();
    let shell = settings.shell.clone().map(|folder| script::ShellSettings { supervisor, folder });
    Ok(script::group(shell))
}

#[cfg(feature = "script")]
fn custom_scripts(settings: &GroupSettings) -> Result<Vec<ToolGroup>, String> {
    let supervisor = tavernkeep_script::Supervisor::default();
    settings.scripts.as_ref().map_or(Ok(Vec::new()), |folder| scripts::groups(folder, &supervisor))
}

#[cfg(not(feature = "script"))]
const NO_PROGRAMS: &str = "this program was built without the feature `script`, which runs scripts and commands";

#[cfg(not(feature = "script"))]
fn script_group(settings: &GroupSettings) -> Result<ToolGroup, String> {
    match &settings.shell {
        Some(_) => Err(NO_PROGRAMS.into()),
        None => Ok(script::group(None)),
    }
}

#[cfg(not(feature = "script"))]
fn custom_scripts(settings: &GroupSettings) -> Result<Vec<ToolGroup>, String> {
    match &settings.scripts {
        Some(_) => Err(NO_PROGRAMS.into()),
        None => Ok(Vec::new()),
    }
}

/// Data as a model sees it.
fn text_of(data: &serde_json::Value) -> String {
    tavernkeep_engine::tools::output::format(Some(data))
}
