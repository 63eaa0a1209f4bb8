/**
 * A whole login of each flow in three lines of a shell: start both, complete both, exchange both.
 * They need curl and grep only, so they run where people first meet the service.
 */
export function curlLines(base: string, nationalId: string): readonly string[] {
  const start = (body: string) => `$(curl -s ${base}/start --json '${body}')`;
  const web = start('{"locale":"ar"}');
  const phone = start(`{"national_id":"${nationalId}","locale":"ar"}`);
  const id = `id() { echo "$1" | grep -oE '[0-9a-f-]{36}' | head -1; }`;
  const token = `token() { echo "$1" | grep -oE '[A-Za-z0-9_-]{64}' | head -1; }`;
  const callback = `{\\"state\\":\\"$(id "$WEB")\\",\\"auto_complete\\":true}`;
  const completeMfa = `{\\"attempt_id\\":\\"$(id "$PHONE")\\"}`;
  const exchange = `{\\"attempt_token\\":\\"$(token "$A")\\",\\"device_name\\":\\"laptop\\"}`;
  return [
    `WEB=${web}; PHONE=${phone}; ${id}; ${token}; echo "$WEB"; echo "$PHONE"`,
    `curl -s ${base}/callback --json "${callback}"; echo; ` +
      `curl -s ${base}/complete-mfa --json "${completeMfa}"; echo`,
    `for A in "$WEB" "$PHONE"; do curl -s ${base}/token/$(id "$A") --json "${exchange}"; echo; done`,
  ];
}
