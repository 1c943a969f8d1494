// One request to a service, given up after a time.
export async function post(path, body, { timeoutMs }) {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(`http://127.0.0.1${path}`, { method: "POST", body: JSON.stringify(body), signal });
  return response.json();
}
