// Keys that are given out with a mark of their own at the beginning, as their makers publish them. A row says how the mark is followed; more than
// that is taken rather than less.
// Sources: the makers' pages named here; "gitleaks": the collected rules of github.com/gitleaks/gitleaks, config/gitleaks.toml of 2026-07-22.

import { changeRate } from "./random-look.ts";
import { alphanumericOr, type Characters, isAlphanumeric, isDigit, type Scan, type Span } from "./scan.ts";

interface Form {
  readonly source: string;
  readonly marks: readonly string[];
  /** What follows the mark: letters, digits and these. */
  readonly alphabet: string;
  /** As many of them at least. */
  readonly charsMin: number;
  /** The mark is also how words of people begin: what follows must have a digit in it, or look drawn by lot. */
  readonly needsDigit?: true;
}

const MARKED_KEYS: readonly Form[] = [
  {
    source: "docs.github.com, about authentication: token formats",
    marks: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    alphabet: "_.-",
    charsMin: 16,
  },
  {
    source: "docs.gitlab.com, security/tokens: token prefixes",
    marks: [
      "glpat-",
      "gloas-",
      "gldt-",
      "glrt-",
      "glrtr-",
      "glcbt-",
      "glptt-",
      "glft-",
      "glimt-",
      "glagent-",
      "glsoat-",
      "glffct-",
    ],
    alphabet: "_.-",
    charsMin: 16,
  },
  {
    source: "api.slack.com, authentication/token-types; gitleaks slack-*",
    marks: ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xapp-", "xwfp-"],
    alphabet: "%.-_",
    charsMin: 8,
  },
  {
    source: "docs.stripe.com, keys and webhooks/signature",
    marks: ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "pk_live_", "pk_test_", "whsec_", "ek_live_", "ek_test_"],
    alphabet: "_+/=",
    charsMin: 8,
  },
  {
    source: "gitleaks anthropic-*, openai-api-key; the same mark at others",
    marks: ["sk-", "sk_", "pk-", "rk-", "rk_", "sess-"],
    alphabet: "_-",
    charsMin: 12,
    needsDigit: true,
  },
  {
    source: "docs.aws.amazon.com, IAM reference_identifiers: unique prefixes",
    marks: ["AKIA", "ASIA", "ABIA", "ACCA"],
    alphabet: "",
    charsMin: 12,
  },
  { source: "gitleaks gcp-api-key", marks: ["AIza"], alphabet: "_-", charsMin: 20 },
  {
    source: "developers.google.com, identity/protocols/oauth2",
    marks: ["ya29.", "1//0", "GOCSPX-"],
    alphabet: "_.-",
    charsMin: 10,
  },
  { source: "docs.sendgrid.com; gitleaks sendgrid-api-token", marks: ["SG."], alphabet: "_.=-", charsMin: 16 },
  { source: "PyPI help; gitleaks pypi-upload-token", marks: ["pypi-AgE"], alphabet: "_-", charsMin: 12 },
  {
    source: "npm documentation, docker.com, huggingface.co: access tokens; gitleaks",
    marks: ["npm_", "dckr_pat_", "dckr_oat_", "hf_", "api_org_", "rubygems_", "CLOJARS_"],
    alphabet: "-",
    charsMin: 16,
    needsDigit: true,
  },
  {
    source: "developer.hashicorp.com, vault/docs/concepts/tokens",
    marks: ["hvs.", "hvb.", "hvr."],
    alphabet: "_.-",
    charsMin: 16,
  },
  {
    source: "gitleaks digitalocean-*, doppler-*, databricks-*",
    marks: ["dop_v1_", "doo_v1_", "dor_v1_", "dp.pt.", "dp.st.", "dapi"],
    alphabet: "_.-",
    charsMin: 24,
    needsDigit: true,
  },
  {
    source: "gitleaks shopify-*, square-access-token, easypost-*, shippo-*",
    marks: [
      "shpat_",
      "shpca_",
      "shppa_",
      "shpss_",
      "sq0atp-",
      "sq0csp-",
      "EZAK",
      "EZTK",
      "shippo_live_",
      "shippo_test_",
    ],
    alphabet: "_-",
    charsMin: 16,
    needsDigit: true,
  },
  {
    source: "gitleaks grafana-*, new-relic-*, sentry-*, dynatrace-*, sonar-*",
    marks: ["glsa_", "glc_", "NRAK-", "NRJS-", "NRII-", "sntrys_", "sntryu_", "dt0c01.", "squ_", "sqp_", "sqa_"],
    alphabet: "_.+/=-",
    charsMin: 16,
    needsDigit: true,
  },
  {
    source: "gitleaks planetscale-*, postman-*, pulumi-*, prefect-*, readme-*, linear-*, notion-*, typeform-*",
    marks: [
      "pscale_tkn_",
      "pscale_pw_",
      "pscale_oauth_",
      "PMAK-",
      "pul-",
      "pnu_",
      "rdme_",
      "lin_api_",
      "ntn_",
      "secret_",
      "tfp_",
    ],
    alphabet: "_.=-",
    charsMin: 20,
    needsDigit: true,
  },
  {
    source: "gitleaks atlassian-*, artifactory-*, adobe-*, heroku-*, infracost-*, openshift-*, sourcegraph-*, flyio-*",
    marks: [
      "ATATT3",
      "ATCTT3",
      "AKCp",
      "cmVmd",
      "p8e-",
      "HRKU-",
      "ico-",
      "sha256~",
      "sgp_",
      "fo1_",
      "fm1a_",
      "fm1r_",
      "fm2_",
    ],
    alphabet: "_+/=-",
    charsMin: 24,
    needsDigit: true,
  },
  {
    source: "gitleaks perplexity-*, sendinblue-*, alibaba-*, yandex-*, scalingo-*, frameio-*, duffel-*, flutterwave-*",
    marks: [
      "pplx-",
      "xkeysib-",
      "xsmtpsib-",
      "LTAI",
      "AQVN",
      "tk-us-",
      "fio-u-",
      "duffel_live_",
      "duffel_test_",
      "FLWSECK_TEST-",
      "FLWSECK-",
    ],
    alphabet: "_=-",
    charsMin: 12,
    needsDigit: true,
  },
  {
    source:
      "console.groq.com, docs.x.ai, replicate.com, tailscale.com/kb, supabase.com, figma.com, resend.com: key formats",
    marks: ["gsk_", "xai-", "r8_", "tskey-", "sbp_", "sb_secret_", "figd_", "re_", "nfp_", "tvly-", "lsv2_"],
    alphabet: "_-",
    charsMin: 16,
    needsDigit: true,
  },
  {
    source: "age-encryption.org/v1; gitleaks 1password-*",
    marks: ["AGE-SECRET-KEY-1", "ops_eyJ"],
    alphabet: "_+/=-",
    charsMin: 16,
  },
  { source: "gitleaks 1password-secret-key", marks: ["A3-"], alphabet: "-", charsMin: 26, needsDigit: true },
  {
    source: "gitleaks facebook-*, square-access-token",
    marks: ["EAA"],
    alphabet: "_-",
    charsMin: 24,
    needsDigit: true,
  },
];

interface Row {
  readonly mark: string;
  readonly is: Characters;
  readonly charsMin: number;
  readonly needsDigit: boolean;
}

interface Table {
  readonly byFirst: ReadonlyMap<string, readonly Row[]>;
  /** All that any key is made of, and how many characters the shortest has. */
  readonly is: Characters;
  readonly charsMin: number;
}

let made: Table | null = null;

/** Made when the first text is looked at: most hooks look at none. */
function table(): Table {
  if (made !== null) return made;
  const rows = MARKED_KEYS.flatMap(({ marks, alphabet, charsMin, needsDigit = false }) => {
    const is = alphanumericOr(alphabet);
    return marks.map((mark) => ({ mark, is, charsMin, needsDigit }));
  });
  made = {
    byFirst: Map.groupBy(rows, ({ mark }) => mark.slice(0, 1)),
    is: alphanumericOr(MARKED_KEYS.map(({ marks, alphabet }) => `${marks.join("")}${alphabet}`).join("")),
    charsMin: Math.min(...rows.map(({ mark, charsMin }) => mark.length + charsMin)),
  };
  return made;
}

/** A mark counts where a word begins. What is too short is looked at no further than it is too short. */
export function markedKeys(scan: Scan): readonly Span[] {
  const found: Span[] = [];
  const { is, charsMin } = table();
  for (const run of scan.runs(is, charsMin))
    for (let at = run.start; at + charsMin <= run.end; at++) {
      if (isAlphanumeric(scan.code(at - 1)) || !isAlphanumeric(scan.code(at))) continue;
      const end = keyEnd(scan, at);
      if (end === null) continue;
      found.push({ start: at, end });
      at = end;
    }
  return found;
}

function keyEnd(scan: Scan, at: number): number | null {
  for (const { mark, is, charsMin, needsDigit } of table().byFirst.get(scan.char(at)) ?? []) {
    if (!scan.startsWith(mark, at)) continue;
    const from = at + mark.length;
    if (scan.runEnd(from, is, charsMin) - from < charsMin) continue;
    // What may follow is judged by its first characters: the rest is taken whatever it is.
    if (needsDigit && !looksDrawn(scan.slice({ start: from, end: Math.min(scan.length, from + judgedChars) })))
      continue;
    return withoutFullStop(scan, from, scan.runEnd(from, is));
  }
  return null;
}

const judgedChars = 40;

function looksDrawn(text: string): boolean {
  const [run = ""] = text.split(/\s/, 1);
  for (let index = 0; index < run.length; index++) if (isDigit(run.charCodeAt(index))) return true;
  return changeRate(run) > 0.4;
}

/** A sentence may end with a key. */
export function withoutFullStop(scan: Scan, from: number, end: number): number {
  const stop = scan.runStart(end, (code) => code === 46 || code === 45);
  return Math.max(stop, from);
}
