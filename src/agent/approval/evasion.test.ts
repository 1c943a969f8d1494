// Ways around rules: what each of these lines does was seen with bash, git and the programs that they name. A rule that allows must not let
// them through, and where a rule that forbids speaks of what they run, they are refused or asked.

import { expect, test } from "vitest";
import { type JudgedCall, judge, type Policy } from "./policy.ts";
import { parseRule, type Rule } from "./rule.ts";

const rules = (...texts: readonly string[]): readonly Rule[] =>
  texts.map((text) => {
    const rule = parseRule(text, ["bash"]);
    if (!rule.ok) throw new Error(rule.error);
    return rule.value;
  });

const call = (command: string): JudgedCall => ({
  ...{ tool: "bash", effect: "exclusive", command, names: [], real: null, hook: null },
});

const allowing = (...texts: readonly string[]): Policy => ({
  mode: "ask",
  sandbox: "held",
  allow: rules(...texts),
  deny: [],
});
const forbidding = (...texts: readonly string[]): Policy => ({
  ...{ mode: "full-auto", sandbox: "held", allow: [], deny: rules(...texts) },
});

const wide = allowing(
  ...["bash(npm test)", "bash(find *)", "bash(git *)", "bash(printf *)", "bash(test *)", "bash([ *)", "bash(xargs *)"],
  ...["bash(timeout *)", "bash(sort *)", "bash(timeout 5 npm *)", "bash(grep *)"],
);

test.each([
  // The shell calculates an index, and runs what stands in it.
  "a=(['y[$(id)]']=1); npm test",
  'a+=(["y[\\$(id)]"]=1); npm test',
  "printf -v 'y[$(id)]' x",
  "test -v 'y[$(id)]'",
  "[ -v 'y[`id`]' ]",
  // What the rule leaves open is not any program.
  "find . -exec id ';'",
  "find . -delete",
  "find . -fprintf x y",
  "ls | xargs id",
  "timeout 5 id",
  "git -c alias.x='!id' x",
  "git -ccore.pager=id log",
  "git fetch --upload-pack=id",
  "git rebase --exec id main",
  "git submodule foreach id",
  "git log --output=x",
  "sort -o x y",
  // Variables that programs look at, though they are small, and numbers of files in one that they look at.
  "npm_config_script_shell=./x; npm test",
  "https_proxy=x; npm test",
  "npm test {PATH}>/dev/null",
  // Bash's own marks among the characters.
  "npm test \u0001",
  "npm test \u007f",
])("is not allowed without a word: %j", (line) => {
  expect(judge(wide, call(line)).kind).toBe("ask");
});

test.each([
  "find . -name '*.ts' ! -name x",
  "git commit -m x",
  "git switch -c branch",
  "git log --oneline -5",
  "printf '%s' a",
  "[ -n a ] && npm test",
  "find . -name x | xargs grep -n y",
  "timeout 5 npm run lint",
  "timeout 9 grep x",
])("is what rules allow: %j", (line) => {
  expect(judge(wide, call(line)).kind).toBe("go");
});

const push = forbidding("bash(git push *)");

test.each([
  "echo push | xargs git",
  "echo push | xargs -I% git %",
  "echo push | xargs -IX git X",
  "parallel git ::: push",
  "bash <(echo git push)",
  "bash -Ec 'git push'",
  "bash -s x <<< 'git push'",
  "bash -O extglob <<< 'git push'",
  "bash /dev/stdin <<< 'git push'",
  ". <(echo git push)",
  "source /dev/stdin <<< 'git push'",
  "timeout 0x5 git push",
  "timeout inf git push",
  "flock /tmp/x git push",
  "taskset ff git push",
  "ssh -p 22 host git push",
  "env -S'git push'",
  "env -S 'git\\_push'",
  "env --split-string='git push'",
  "su --command='git push'",
  "script -c'git push' x",
  "trap -- 'git push' EXIT",
  "git -c alias.x=push x",
  "git -c alias.x='!git push' x",
  "git --config-env=alias.x=V x",
  "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=push git x",
  "setpriv git push",
  "systemd-run git push",
  "/lib64/ld-linux-x86-64.so.2 /usr/bin/git push",
  "python3 -c 'import os; os.system(\"git push\")'",
  'node -e \'require("child_process").spawnSync("git", ["push"])\'',
  "awk 'BEGIN{system(\"git push\")}'",
  "perl -e 'exec qw(git push)'",
  "echo 'exec qw(git push)' | perl",
  "git rebase --exec 'git push' main",
  "git submodule foreach git push",
  "git bisect run git push",
  "alias g='git push'",
  "hash -p /usr/bin/git g; g push",
  "mapfile -C 'git push' -c 1",
  "tar --checkpoint-action=exec='git push' x",
  "GIT_SSH_COMMAND='git push' git fetch",
  "PAGER='git push' git log",
  "PS4='$(git push)'; set -x; ls",
  "make -f - <<'E'\nx:\n\tgit push\nE",
  "ed <<< '!git push'",
  "echo 'git push' | at now",
  "a=(['y[$(git push)]']=1)",
  "printf -v 'y[$(git push)]' x",
  "[[ -v 'y[$(git push)]' ]]",
  "GIT push",
])("is not done where git push is forbidden: %j", (line) => {
  expect(judge(push, call(line)).kind).not.toBe("go");
});

test.each([
  "git commit -m 'On git push'",
  "npm test && git add . && git commit -m 'On git push'",
  "grep -rn 'git push' docs",
  "cat > notes.md <<'E'\nThen git push.\nE",
  "git -c user.name=x commit -m y",
  "[ -f x ] && [ $((n + 1)) -gt 2 ]",
  "find . -name '*.ts' | xargs grep push",
  "source ~/.nvm/nvm.sh && npm test",
  "node --test",
  "python3 script.py",
  "sh build.sh",
  "hash -r",
])("has nothing to do with what is forbidden: %j", (line) => {
  expect(judge(push, call(line)).kind).toBe("go");
});

test("of one word, too, a rule holds behind programs that nobody knows", () => {
  const policy = forbidding("bash(curl *)", "bash(rm -rf *)");
  const kinds = ["unknown-launcher curl x", "which curl", "npx -c 'curl x'", "x -- rm -r -f y", "git rm -rf y"].map(
    (line) => judge(policy, call(line)).kind,
  );
  expect(kinds).toEqual(["ask", "go", "ask", "ask", "go"]);
});
