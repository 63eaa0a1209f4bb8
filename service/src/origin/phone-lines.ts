interface Addresses {
  readonly api: string;
  readonly simulator: string;
  readonly key: string;
}

/** One of the simulator's people. A successful login also resets the person's push budget. */
const NATIONAL_ID = '1000002201';
const TRIES = 20;

/**
 * The commands of a login by phone where a client key is needed and the simulator's control API
 * decides. They need only a shell, grep and any version of curl.
 */
export function phoneLines({ api, simulator, key }: Addresses): readonly string[] {
  const credential = '-H "$J" -H "Authorization: Bearer $KEY"';
  const order = `'{"national_id":"${NATIONAL_ID}","locale":"en"}'`;
  const prompts = `curl -s "$SIMULATOR/prompts?request_id=$ID"`;
  const status = `curl -s $API/status/$ID -H "X-Provider-Attempt-Token: $TOKEN"`;
  const uuid = `grep -oE '[0-9a-f-]{36}' | head -n 1`;
  return [
    `API=${api}; SIMULATOR=${simulator}/simulator; KEY=${key}; ` +
      `J='Content-Type: application/json'`,
    `A=$(curl -s $API/start ${credential} -d ${order}); echo "$A"`,
    `ID=$(echo "$A" | ${uuid}); TOKEN=$(echo "$A" | grep -oE '[A-Za-z0-9_-]{64}' | head -n 1)`,
    `PROMPT=$(${prompts} | ${uuid}); ` +
      `curl -s -H "$J" $SIMULATOR/prompts/$PROMPT/decision -d '{"decision":"approve"}'; echo`,
    // The signed result arrives a moment after the approval.
    `for TRY in $(seq ${TRIES}); do S=$(${status}); echo "$S"; ` +
      `case $S in *'"pending"'*) sleep 0.5;; *) break;; esac; done`,
    `curl -s $API/token/$ID ${credential} -d "{\\"attempt_token\\":\\"$TOKEN\\"}"; echo`,
  ];
}
