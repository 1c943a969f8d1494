// The sandbox against the real system: it keeps the contract of the processes it stands for, and what a command tries to reach outside
// its tree it does not get. Each attempt succeeds without the sandbox: a refusal that has another cause would prove nothing.

import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loneCall } from "../../agent/tool.ts";
import { asAgentId, asCallId } from "../../base/ids.ts";
import { unwrap } from "../../base/result.ts";
import type { Sandbox, SandboxBox } from "../../host/sandbox.ts";
import { describeProcesses } from "../../testing/contract/host-processes.ts";
import { bashTool } from "../../tools/bash.ts";
import { nodeHost } from "../node/host.ts";
import { openBubblewrap } from "./bubblewrap.ts";

const host = nodeHost();
const { files, processes, clock } = host;
const path = process.env.PATH ?? "/usr/bin:/bin";

const open = (
  options: { readonly home?: string; readonly hidden?: readonly string[]; readonly network?: boolean } = {},
) =>
  openBubblewrap({
    files,
    processes,
    clock,
    platform: process.platform,
    env: { PATH: path, HOME: options.home ?? "/nonexistent" },
    hidden: options.hidden ?? [],
    open: [],
    network: options.network ?? false,
  });

const works = (await open()).ok;

let place: string;
let root: string;
let home: string;

beforeEach(() => {
  // Not below /tmp, which a box has of its own: names outside are then the same inside.
  place = realpathSync(mkdtempSync(join(existsSync("/var/tmp") ? "/var/tmp" : tmpdir(), "skein-box-")));
  [root, home] = [join(place, "tree"), join(place, "home")];
  for (const directory of [root, home]) mkdirSync(directory);
});

afterEach(() => rmSync(place, { recursive: true, force: true }));

const box = (changes: Partial<SandboxBox> = {}): SandboxBox => ({
  root,
  writable: true,
  guarded: [],
  temporary: join(place, "box-tmp"),
  shown: [],
  ...changes,
});

/** Runs a command as an agent's tool does; without a sandbox where none is given. */
async function bash(command: string, sandbox: Sandbox | null, given: SandboxBox = box(), signal?: AbortSignal) {
  const tool = bashTool({
    files,
    processes,
    ...(sandbox === null ? {} : { commands: sandbox.processesIn(given) }),
    clock,
    root: given.root,
    rgPath: "",
    environment: { PATH: path, HOME: home, ...sandbox?.environment },
    spillDirectory: join(place, "spill"),
  });
  const call = { agent: asAgentId("a1"), callId: asCallId("c1"), signal: signal ?? new AbortController().signal };
  const answer = await tool.run({ command }, loneCall(call));
  return { kind: answer.kind, text: "text" in answer ? answer.text : "" };
}

describe.runIf(works)("bubblewrap", () => {
  describeProcesses(
    "node, in bubblewrap",
    async () => {
      const directory = realpathSync(mkdtempSync(join(tmpdir(), "skein-box-")));
      const sandbox = unwrap(await open(), "sandbox");
      const inside = sandbox.processesIn(box({ root: directory, temporary: `${directory}-tmp` }));
      return {
        host: { ...host, processes: inside },
        directory,
        run: (work) => work,
        dispose: async () => {
          for (const one of [directory, `${directory}-tmp`]) rmSync(one, { recursive: true, force: true });
        },
      };
    },
    "wrapped",
  );

  test("check 1: it writes in its tree and its temporary directory, and nowhere else", async () => {
    const sandbox = unwrap(await open({ home, hidden: [join(place, "state")] }), "sandbox");
    mkdirSync(join(place, "state"));
    const targets = [
      join(place, "outside"),
      join(home, "file"),
      join(home, ".bashrc"),
      join(place, "state", "x"),
      "/etc/skein-x",
    ];
    const inside = await bash(
      `echo a > in; mkdir -p sub && echo b > sub/in; echo c > /tmp/skein-box-note; ${targets.map((one) => `echo d > ${one} || echo no`).join("; ")}`,
      sandbox,
    );
    expect(inside.text.match(/^no$/gm)).toHaveLength(targets.length);
    expect(targets.filter((one) => existsSync(one))).toEqual([]);
    expect([readFileSync(join(root, "in"), "utf8"), readFileSync(join(root, "sub", "in"), "utf8")]).toEqual([
      "a\n",
      "b\n",
    ]);
    // The next command finds what this one left.
    expect(await bash("cat /tmp/skein-box-note", sandbox)).toEqual({ kind: "text", text: "c\n[exit code 0]" });
    expect(existsSync("/tmp/skein-box-note")).toBe(false);
  });

  test("check 1: the keys of our own process and of others are out of reach, and so are secrets in the home", async () => {
    const put = (name: string, text: string) => {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), text);
    };
    for (const name of [
      ".ssh/id_ed25519",
      ".aws/credentials",
      ".netrc",
      ".npmrc",
      ".cargo/credentials.toml",
      ".config/gh/hosts.yml",
    ])
      put(name, "TOP-SECRET\n");
    put(".gitconfig", "[user]\nname = somebody\n");
    put("notes.txt", "plain\n");
    const sandbox = unwrap(await open({ home }), "sandbox");
    const look = `grep -rs TOP-SECRET ${home}; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep SKEIN_TEST_KEY; true`;
    process.env.SKEIN_TEST_KEY = "sk-in-our-environment";
    try {
      // A child of ours that has the key in its environment, as a worker host would.
      const child = unwrap(
        await processes.spawn({
          argv: ["sleep", "30"],
          cwd: "/",
          env: { PATH: path, SKEIN_TEST_KEY: "sk-in-a-child" },
        }),
        "child",
      );
      const without = await bash(look, null);
      const within = await bash(look, sandbox);
      const shown = await bash(`cat ~/.gitconfig ~/notes.txt; ls -A ~`, sandbox);
      child.kill("SIGKILL");
      expect(without.text).toContain("sk-in-a-child");
      expect(without.text.match(/TOP-SECRET/g)).toHaveLength(6);
      expect(within.text).toBe("(no output)\n[exit code 0]");
      expect(shown.text).toContain("name = somebody\nplain\n");
      expect(shown.text).not.toContain(".ssh");
    } finally {
      delete process.env.SKEIN_TEST_KEY;
    }
  });

  test("check 1: no connection out, to a port or a socket in a hidden place; its own loopback works", async () => {
    const state = join(place, "state");
    mkdirSync(state);
    const answered: string[] = [];
    const server = createServer((socket) => {
      answered.push("tcp");
      socket.end("hello\n");
    });
    const local = createServer((socket) => {
      answered.push("unix");
      socket.end("hello\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    await new Promise<void>((resolve) => local.listen(join(state, "socket"), resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const tcp = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
    const unix = `node -e 'require("net").connect(${JSON.stringify(join(state, "socket"))}).on("data",(d)=>process.stdout.write(d)).on("error",(e)=>console.log(e.code))'`;
    const own = `node -e 'const n=require("net");const s=n.createServer((c)=>c.end("own\\n")).listen(0,"127.0.0.1",()=>n.connect(s.address().port).on("data",(d)=>{process.stdout.write(d);s.close()}))'`;
    const closed = unwrap(await open({ home, hidden: [state] }), "sandbox");
    const opened = unwrap(await open({ home, hidden: [state], network: true }), "sandbox");
    const results = [await bash(tcp, closed), await bash(unix, closed), await bash(own, closed)];
    const allowed = await bash(tcp, opened);
    server.close();
    local.close();
    expect(results.map(({ text }) => text.includes("hello"))).toEqual([false, false, false]);
    expect(results[2]).toEqual({ kind: "text", text: "own\n[exit code 0]" });
    expect(allowed).toEqual({ kind: "text", text: "hello\n[exit code 0]" });
    expect(answered).toEqual(["tcp"]);
  });

  test("an agent that may only read, and a guarded place in the tree, are refused by the system", async () => {
    const sandbox = unwrap(await open({ home }), "sandbox");
    mkdirSync(join(root, ".git"));
    writeFileSync(join(root, ".git", "config"), "[core]\n");
    const attack =
      "echo evil >> .git/config || echo no; mv .git away || echo no; mkdir -p .git/hooks || echo no; echo x > own || echo no";
    const guarded = await bash(attack, sandbox, box({ guarded: [join(root, ".git")] }));
    const reading = await bash("echo x > other || echo no; cat own", sandbox, box({ writable: false }));
    expect([guarded.text.match(/^no$/gm)?.length, reading.text.match(/^no$/gm)?.length]).toEqual([3, 1]);
    expect(reading.text).toContain("\nx\n");
    expect(readFileSync(join(root, ".git", "config"), "utf8")).toBe("[core]\n");
    expect([existsSync(join(root, "away")), existsSync(join(root, "other")), existsSync(join(root, "own"))]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("a guarded place deeper in the tree does not come free by moving what it stands in", async () => {
    const sandbox = unwrap(await open({ home }), "sandbox");
    const pointer = join(root, "vendor", "sub", ".git");
    mkdirSync(dirname(pointer), { recursive: true });
    writeFileSync(pointer, "gitdir: ../../.git/modules/sub\n");
    const attack =
      "echo x > vendor/sub/.git || echo no; mv vendor/sub away || echo no; mv vendor away || echo no; echo y > vendor/sub/file; echo z > vendor/file";
    const answer = await bash(attack, sandbox, box({ guarded: [pointer] }));
    expect(answer.text.match(/^no$/gm)).toHaveLength(3);
    expect(
      [pointer, join(root, "vendor", "sub", "file"), join(root, "vendor", "file")].map((one) =>
        readFileSync(one, "utf8"),
      ),
    ).toEqual(["gitdir: ../../.git/modules/sub\n", "y\n", "z\n"]);
  });

  test.runIf(process.getuid?.() === 0)("check 1: root in it changes no setting of the kernel", async () => {
    // Opened only, never written: outside, root may.
    const look = `for f in $(find /proc -path '/proc/[0-9]*' -prune -o -type f -perm -u=w -print 2>/dev/null); do { exec 3>>"$f"; } 2>/dev/null && echo "$f"; done; true`;
    const one = "{ exec 3>>/proc/sys/kernel/core_pattern; } && echo open";
    const sandbox = unwrap(await open({ home }), "sandbox");
    expect([(await bash(one, null)).text, (await bash(look, sandbox)).text]).toEqual([
      "open\n[exit code 0]",
      "(no output)\n[exit code 0]",
    ]);
  });

  test("check 1: of a toolchain that lies in another home the secrets are hidden as well", async () => {
    const cargo = join(place, "other", ".cargo");
    mkdirSync(join(cargo, "bin"), { recursive: true });
    writeFileSync(join(cargo, "credentials.toml"), "TOP-SECRET\n");
    writeFileSync(join(cargo, "config.toml"), "plain\n");
    const sandbox = unwrap(
      await openBubblewrap({
        ...{ files, processes, clock, platform: process.platform, open: [], network: false },
        env: { PATH: `${path}:${join(cargo, "bin")}`, HOME: home },
        hidden: [join(place, "other")],
      }),
      "sandbox",
    );
    const look = `cat ${join(cargo, "credentials.toml")} ${join(cargo, "config.toml")}`;
    const [without, within] = [(await bash(look, null)).text, (await bash(look, sandbox)).text];
    expect(without).toBe("TOP-SECRET\nplain\n[exit code 0]");
    expect([within.includes("plain\n"), within.includes("TOP-SECRET")]).toEqual([true, false]);
  });

  test("an agent that works in the home itself does not see what is hidden in it", async () => {
    mkdirSync(join(home, ".ssh"));
    writeFileSync(join(home, ".ssh", "id"), "TOP-SECRET\n");
    writeFileSync(join(home, ".netrc"), "TOP-SECRET\n");
    const sandbox = unwrap(await open({ home }), "sandbox");
    const answer = await bash("cat .ssh/id .netrc; echo x > made", sandbox, box({ root: home }));
    expect([answer.text.includes("TOP-SECRET"), readFileSync(join(home, "made"), "utf8")]).toEqual([false, "x\n"]);
  });

  test("H12 what left its group, its session and its environment ends with the command, at its end and when it is cancelled", async () => {
    const sandbox = unwrap(await open({ home }), "sandbox");
    // Its environment is empty and its parents are gone: without a namespace nothing finds it any more.
    const name = `9${String(process.pid).padStart(8, "0")}`;
    const stray = `(setsid env -i /bin/sleep ${name} >/dev/null 2>&1 </dev/null &)`;
    const running = () => spawnSync("pgrep", ["-f", `^/bin/sleep ${name}$`], { encoding: "utf8" }).stdout.trim() !== "";
    const controller = new AbortController();
    const cancelled = bash(`${stray}; sleep 60`, sandbox, box(), controller.signal);
    for (let attempt = 0; !running() && attempt < 200; attempt++) await delay(20);
    const before = running();
    controller.abort();
    const end = await cancelled;
    expect([before, end.kind, await gone(running)]).toEqual([true, "cancelled", true]);
    expect([(await bash(stray, sandbox)).kind, await gone(running)]).toEqual(["text", true]);
  });

  test("a missing program is told as it is without a sandbox", async () => {
    const inside = unwrap(await open({ home }), "sandbox").processesIn(box());
    expect(await inside.spawn({ argv: ["no-such-program"], cwd: root, env: { PATH: path } })).toEqual({
      ok: false,
      error: { kind: "spawn", code: "not-found", program: "no-such-program", message: expect.any(String) },
    });
  });

  test.runIf(process.getuid?.() === 0)("works for a plain user, too", async () => {
    const calls: (readonly string[])[] = [];
    const seen = unwrap(
      await openBubblewrap({
        files,
        clock,
        processes: {
          spawn: (spec) => {
            calls.push(spec.argv);
            return processes.spawn(spec);
          },
        },
        platform: "linux",
        // What only root may look into is in nobody else's PATH.
        env: { PATH: "/usr/bin:/bin", HOME: home },
        hidden: [],
        open: [],
        network: false,
      }),
      "sandbox",
    );
    const child = unwrap(
      await seen.processesIn(box()).spawn({ argv: ["true"], cwd: root, env: { PATH: path } }),
      "spawn",
    );
    await child.exit;
    const argv = calls.at(-1) ?? [];
    for (const one of [place, root, home, join(place, "box-tmp")]) chmodSync(one, 0o777);
    const user = [
      "setpriv",
      "--reuid=65534",
      "--regid=65534",
      "--clear-groups",
      "--inh-caps=-all",
      "--ambient-caps=-all",
    ];
    const command = [...argv.slice(0, -1), "sh", "-c", "id -u; echo a > in; echo b > ../out || echo no"];
    const said = execFileSync(user[0] ?? "", [...user.slice(1), ...command], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    expect([said, readFileSync(join(root, "in"), "utf8"), existsSync(join(place, "out"))]).toEqual([
      "65534\nno\n",
      "a\n",
      false,
    ]);
  });
});

/** A bubblewrap first in the PATH that ends as the real one does where a mount went away while it set up, the `fails`th to the last time. */
function unsteady(fails: readonly number[]): string {
  const bin = join(place, "unsteady");
  mkdirSync(bin);
  const text =
    'Can\'t bind mount /oldroot/ on /newroot/: Unable to apply mount flags: remount "/newroot/w/at": No such file or directory';
  writeFileSync(
    join(bin, "bwrap"),
    `#!/bin/sh
echo x >> ${bin}/calls
case " ${fails.join(" ")} " in *" $(wc -l < ${bin}/calls | tr -d ' ') "*) cat ${bin}/said >&2; exit 1;; esac
PATH=\${PATH#${bin}:} exec bwrap "$@"
`,
  );
  writeFileSync(join(bin, "said"), `bwrap: ${text}\n`);
  chmodSync(join(bin, "bwrap"), 0o755);
  return bin;
}

describe.runIf(works)("a mount that goes away while the sandbox is made", () => {
  const opened = async (bin: string) =>
    openBubblewrap({
      ...{ files, processes, clock, platform: process.platform, hidden: [], open: [], network: false },
      env: { PATH: `${bin}:${path}`, HOME: home },
    });

  test("what was to run inside has not begun: it runs once, when the sandbox is whole", async () => {
    // The first is the trial.
    const bin = unsteady([1, 3, 4]);
    const sandbox = unwrap(await opened(bin), "sandbox");
    const answer = await bash("echo begun; echo x >> runs; exit 1", sandbox);
    expect([answer.text, readFileSync(join(root, "runs"), "utf8")]).toEqual(["begun\n[exit code 1]", "x\n"]);
    expect(readFileSync(join(bin, "calls"), "utf8")).toBe("x\n".repeat(5));
  });

  test("where it cannot be made at all, the call is told that it is no fault of its own", async () => {
    const sandbox = unwrap(await opened(unsteady([2, 3, 4, 5, 6, 7])), "sandbox");
    const answer = await bash("echo x >> runs", sandbox);
    expect(answer.kind).toBe("fault");
    expect(answer.text).toContain("sandbox could not be made: Can't bind mount");
    expect(existsSync(join(root, "runs"))).toBe(false);
  });
});

test.runIf(works)(
  "a sandbox that is not made in time leaves its command to the limits of whoever started it",
  async () => {
    const bin = unsteady([]);
    const sandbox = unwrap(
      await openBubblewrap({
        ...{ files, processes, clock, platform: process.platform, hidden: [], open: [], network: false },
        env: { PATH: `${bin}:${path}`, HOME: home },
      }),
      "sandbox",
    );
    writeFileSync(join(bin, "bwrap"), "#!/bin/sh\nexec sleep 600\n");
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 300);
    const answer = await bash("echo x >> runs", sandbox, box(), stop.signal);
    expect([answer.kind, existsSync(join(root, "runs"))]).toEqual(["cancelled", false]);
  },
);

test("where there is none, it says why and what to do", async () => {
  const options = { files, processes, clock, hidden: [], open: [], network: false };
  expect([
    await openBubblewrap({ ...options, platform: "darwin", env: { PATH: path } }),
    await openBubblewrap({ ...options, platform: "linux", env: { PATH: "/nonexistent" } }),
  ]).toEqual([
    { ok: false, error: { reason: "there is none for this system (darwin)", remedy: null } },
    { ok: false, error: { reason: "bubblewrap (bwrap) is not installed", remedy: "install bubblewrap" } },
  ]);
});

test("a bubblewrap that is refused its namespaces is none", async () => {
  const bin = join(place, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "bwrap"), "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n");
  chmodSync(join(bin, "bwrap"), 0o755);
  const opened = await openBubblewrap({
    files,
    processes,
    clock,
    platform: "linux",
    env: { PATH: bin },
    hidden: [],
    open: [],
    network: false,
  });
  expect(opened).toEqual({
    ok: false,
    error: {
      reason: "bubblewrap does not work here: setting up uid map: Permission denied",
      remedy: expect.stringContaining("AppArmor"),
    },
  });
});

async function gone(running: () => boolean): Promise<boolean> {
  for (let attempt = 0; running() && attempt < 100; attempt++) await delay(20);
  return !running();
}
