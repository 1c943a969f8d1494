// Texts that make a search for secrets slow where it tries again from each character: each is repeated as often as it takes.

/** Each makes something begin at every few characters and end nowhere, or be rejected at the very end. */
export const HOSTILE_PARTS: Readonly<Record<string, string>> = {
  "one run": "a",
  "parts with hyphens": "a-",
  "parts with points": "eyJ.",
  "hyphens between marks": "eyJ-",
  "marks that are too short": "sk-",
  "the longest mark": "pscale_oauth_",
  at: "@",
  "mail that never gets a domain": "a@",
  "mail with points": "a.b@c.",
  schemes: "a://",
  "schemes that never get a host": "a:b",
  names: "password",
  "names with signs": "password=",
  "names with spaces": "password ",
  "names with colons in one word": "password:",
  "values that are rejected": "password:env.",
  "values in quotes": "password='",
  "values in two kinds of quotes": "password='password=\"",
  "commas and ampersands": "password=a,b&",
  headers: "Authorization:",
  "headers with commas": "Authorization: a=b, ",
  "headers whose value is rejected": "authorization:env.",
  bearers: "Bearer ",
  "block headers": "-----BEGIN A-----",
  "block headers without an end": "-----BEGIN ",
  "block ends": "-----BEGIN A----------END ",
  numbers: "123456:",
  "numbers in one run": "1234567890",
  commands: "mysql -p ",
  options: "-p......",
  "options in one word": "-u-u:",
  spaces: " ",
  lines: "\n",
  "small and capital letters and digits": "aB1/",
  "random parts": "aB1cD2eF3gH4iJ5kL6mN7oP8/",
};

export function hostileText(part: string, chars: number): string {
  return part.repeat(Math.ceil(chars / part.length)).slice(0, chars);
}
