// Which words of a person are taken out before others see them, and which are not; and that no text makes it slow.

import { expect, test } from "vitest";
import { HOSTILE_PARTS, hostileText } from "../testing/sessions/hostile-texts.ts";
import { Scan } from "./redact/scan.ts";
import { redact, redactIn } from "./redact.ts";

const long = "a1B2c3D4e5F6";
const longer = `${long}${long}${long}`;
/** Published by their makers as examples of what theirs look like. */
const awsSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const telegram = ["110201543", "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"].join(":");
/** RFC 7519, section 3.1, and RFC 7617, section 2. */
const jwt = [
  "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9",
  "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
  "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
].join(".");
const basic = "QWxhZGRpbjpvcGVuIHNlc2FtZQ==";

test.each([
  // Keys with a mark.
  [`sk-ant-api03-${long}${long}`, "[redacted]"],
  [`use sk-proj-${longer} now`, "use [redacted] now"],
  [`key is ghp_${long}${long}.`, "key is [redacted]."],
  [`github_pat_${long}_${long}`, "[redacted]"],
  [`glpat-${long}${long}`, "[redacted]"],
  ["AKIAIOSFODNN7EXAMPLE", "[redacted]"],
  [`AIza${long}${long}`, "[redacted]"],
  [`ya29.${longer}`, "[redacted]"],
  [`GOCSPX-${long}`, "[redacted]"],
  [`xoxb-1234-${long}`, "[redacted]"],
  [`xapp-1-A0123-456-${long}`, "[redacted]"],
  [`whsec_${long}`, "[redacted]"],
  [`sk_live_${long}`, "[redacted]"],
  [`SG.${long}${long.slice(2)}.${longer}`, "[redacted]"],
  [`pypi-AgEIcHlwaS5vcmc${longer}`, "[redacted]"],
  [`npm_${longer}`, "[redacted]"],
  [`hf_${longer}`, "[redacted]"],
  [`dckr_pat_${long}${long}`, "[redacted]"],
  [`hvs.${longer}`, "[redacted]"],
  [`dop_v1_${"0123456789abcdef".repeat(4)}`, "[redacted]"],
  [`shpat_${"0a".repeat(16)}`, "[redacted]"],
  [`glsa_${long}${long}_1a2b3c4d`, "[redacted]"],
  [`gsk_${longer}`, "[redacted]"],
  [`AGE-SECRET-KEY-1${"QPZRY9X8GF2TVDW0".repeat(3)}`, "[redacted]"],
  // Keys by their shape.
  [jwt, "[redacted]"],
  [`token=${jwt}`, "token=[redacted]"],
  [`bot ${telegram} answers`, "bot [redacted] answers"],
  [`the key ${awsSecret} works`, "the key [redacted] works"],
  ["deadbeef".repeat(5).replace(/d/g, "4"), "[redacted]"],
  [`MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.${long}${long}abc`, "[redacted]"],
  ["-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY----- after", "[redacted] after"],
  ["see -----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk", "see [redacted]"],
  // By the name before them.
  ["password: hunter2 please", "password: [redacted] please"],
  ["password: swordfish", "password: [redacted]"],
  ["the password is swordfish, try it", "the password is [redacted], try it"],
  ["set the password to hunter2.", "set the password to [redacted]."],
  ["log in with password hunter2", "log in with password [redacted]"],
  ['"api_key": "abc123"', '"api_key": "[redacted]"'],
  ['{\\"apiKey\\": \\"abc123\\"}', '{\\"apiKey\\": \\"[redacted]\\"}'],
  ["MY_SECRET=tiny and more", "MY_SECRET=[redacted] and more"],
  ["PGPASSWORD=pw psql", "PGPASSWORD=[redacted] psql"],
  ["export AWS_SECRET_ACCESS_KEY=x1", "export AWS_SECRET_ACCESS_KEY=[redacted]"],
  ["dbPassword = 'correct horse battery staple'", "dbPassword = '[redacted]'"],
  ['PASSPHRASE="my dog\'s name" make', 'PASSPHRASE="[redacted]" make'],
  ["passwd=pa,ss;", "passwd=[redacted];"],
  ["deploy --password x --verbose", "deploy --password [redacted] --verbose"],
  ["deploy --token=x1y2 now", "deploy --token=[redacted] now"],
  ['deploy --api-key "a b" now', 'deploy --api-key "[redacted]" now'],
  ["ALTER USER jo WITH PASSWORD 'pw'", "ALTER USER jo WITH PASSWORD '[redacted]'"],
  ["CREATE USER jo IDENTIFIED BY 'pw'", "CREATE USER jo IDENTIFIED BY '[redacted]'"],
  ["//registry.example/:_authToken=abc", "//registry.example/:_authToken=[redacted]"],
  // Headers.
  ["curl -H 'Authorization: Bearer abcdefgh12345'", "curl -H 'Authorization: [redacted]'"],
  ["Authorization: ApiKey x1 and go on", "Authorization: [redacted] and go on"],
  ['Authorization: Token token="abc", nonce="d"', "Authorization: [redacted]"],
  [`send Basic ${basic} along`, "send Basic [redacted] along"],
  ["with Bearer mF_9.B5f-4.1JqM it works", "with Bearer [redacted] it works"],
  ["-H \"X-Api-Key: abc\" -H 'Cookie: a=b; c=d'", "-H \"X-Api-Key: [redacted]\" -H 'Cookie: [redacted]'"],
  // Options without a name.
  ["mysql -uroot -pSECRET db", "mysql -uroot -p[redacted] db"],
  ["mysql -u root -psecret db", "mysql -u root -p[redacted] db"],
  ["it runs with -phunter22 there", "it runs with -p[redacted] there"],
  ["sshpass -p 'a b' ssh host", "sshpass -p '[redacted]' ssh host"],
  ["docker login -u jo -p pw registry", "docker login -u jo -p [redacted] registry"],
  ["redis-cli -h host -a pw", "redis-cli -h host -a [redacted]"],
  ["curl -u a:b https://host/", "curl -u [redacted] https://host/"],
  ["curl --user 'jo:p w' https://host/", "curl --user '[redacted]' https://host/"],
  ["curl -ujo:pw https://host/", "curl -u[redacted] https://host/"],
  // Addresses.
  ["postgres://jo:pw@db.local/x", "postgres://[redacted]@db.local/x"],
  ["https://jo:p%40w@host:8080/a?b=c", "https://[redacted]@host:8080/a?b=c"],
  [`git clone https://${long}${long}@github.com/x/y`, "git clone https://[redacted]@github.com/x/y"],
  ["GET /v1?key=abc&sig=d%2Fe&page=2", "GET /v1?key=[redacted]&sig=[redacted]&page=2"],
  ["https://hooks.slack.com/services/T00/B00/XXXX", "https://hooks.slack.com/services/[redacted]"],
  ["jo:pw@tcp(db:3306)/x", "[redacted]@tcp(db:3306)/x"],
  ["redis at jo:pw@10.0.0.5:6379", "redis at [redacted]@10.0.0.5:6379"],
  [
    "Server=db;User Id=sa;Password=p@s s;Encrypt=yes",
    // A connection string's value may hold spaces only in quotes.
    "Server=db;User Id=sa;Password=[redacted] s;Encrypt=yes",
  ],
  [
    `AccountName=a;AccountKey=${long}/${long}==;EndpointSuffix=b`,
    "AccountName=a;AccountKey=[redacted];EndpointSuffix=b",
  ],
  ["ask jo.doe+x@mail.example.com", "ask [redacted]"],
  ["write to jürgen@bücher.example now", "write to [redacted] now"],
])("P36: %j", (text, expected) => {
  expect([redact(text), redact(expected)]).toEqual([expected, expected]);
});

const innocent = [
  "Fix the tokenizer in src/parser/tokens.ts and run npm test",
  "rename getUserAuthenticationProviderConfiguration everywhere",
  "the token count is wrong in the summary",
  "compare commit 38793b0 with main @ 12:00",
  "docs/architecture/decisions/how-we-merge-conflicts-in-workspaces.md",
  "docs/2026-11-30/notes-on-the-redaction-of-keys-and-tokens/part-12.md",
  "the password is wrong, the token is missing and the secret was rotated",
  "Make the login form show why the password is required",
  "auth: handle expired sessions",
  "fix(auth): refresh the token before it expires",
  "token: the parser's smallest unit",
  "const token = lexer.next(); if (token === null) return;",
  "password: string; token?: string | null; apiKey: process.env.API_KEY",
  "user.password = newPassword and then hash it with sha256",
  "export TOKEN=$TOKEN PASSWORD=${PASSWORD} SECRET=$(cat file)",
  'curl -H "Authorization: Bearer $TOKEN" https://api.example.com/v1/items?page=2&sort=name',
  "send Authorization: Bearer <token> with every request",
  "a basic understanding of bearer authentication and Basic TypeScript",
  "the --token option and --password-stdin are documented; --password is not",
  "mkdir -p src/Parser2 && cp -pr a b && gcc -pthread -pedantic x.c && patch -p1 < a.diff",
  "docker run -u 1000:1000 -p 8080:80 -v a:b image:tag@sha256:abc",
  "git push -u origin feature/x:main",
  "git clone git@github.com:owner/repository.git and ssh://git@host/x.git",
  "use react@18.2.0, @types/node@24 and npm:left-pad@1.3.0; icon@2x.png",
  "resume session 0199a213-81c0-7800-8aa1-bbab2a035a53",
  "run sk-learn-like pipelines and the risk-assessment-document-generator",
  "the Authorization header is missing in the Cookie: handling",
  "max_tokens=4096 passwords=3 author=jo keyboard: qwerty monkey=1",
  "compile the key-value-store-with-a-very-long-name-v2 in /usr/lib/x86_64-linux-gnu/libc",
  "open http://localhost:3000/items/42?tab=all#top and https://example.com/@jo",
  "bypass: true, compass: north",
  "Text from [redacted] stays as it is: password=[redacted]",
  "12:30:45 it took 1234567890 ns",
];

test.each(innocent)("P36: no secret in %j", (text) => {
  expect(redact(text)).toBe(text);
});

/** Characters looked at for each of the text; what is quadratic takes thousands. The long ones are in redact.full.test.ts. */
const stepsMax = 150;

test.each(Object.entries(HOSTILE_PARTS))("much of %s is looked at a bounded number of times", (_, part) => {
  const scan = new Scan(hostileText(part, 16 * 1024));
  redactIn(scan);
  expect(scan.steps / scan.length).toBeLessThan(stepsMax);
});

test("runs are all that there are of that length, whatever stands between them", () => {
  const is = (code: number) => code === 97;
  for (const charsMin of [1, 2, 3, 7])
    for (let number = 0; number < 2 ** 11; number++) {
      const text = number.toString(2).replaceAll("1", "a").replaceAll("0", " ");
      const right = [...text.matchAll(/a+/g)].map((match) => ({
        start: match.index,
        end: match.index + match[0].length,
      }));
      const found = [...new Scan(text).runs(is, charsMin)];
      expect(found).toEqual(right.filter(({ start, end }) => end - start >= charsMin));
    }
});

test("a name says the same the second time, and where it says something only at its place", () => {
  const said = () => [
    redact("the code and the sig go by there"),
    redact("https://host/cb?code=ab12cd&x=sig"),
    redact("CREATE USER jo IDENTIFIED BY 'pw'"),
  ];
  const right = [
    "the code and the sig go by there",
    "https://host/cb?code=[redacted]&x=sig",
    "CREATE USER jo IDENTIFIED BY '[redacted]'",
  ];
  expect([said(), said()]).toEqual([right, right]);
});

test("of a text of words without a secret each character is looked at a few times", () => {
  const scan = new Scan(
    "the parser reads comments as tokens and keeps the old form until the tests are moved\n".repeat(20),
  );
  expect(redactIn(scan)).toBe(scan.text);
  expect(scan.steps / scan.length).toBeLessThan(plainStepsMax);
});

const plainStepsMax = 8;
