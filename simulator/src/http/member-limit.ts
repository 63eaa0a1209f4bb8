/** More than any valid request has. Checking thousands of members would take too long. */
export const MOST_MEMBERS = 32;

/** Its code distinguishes it from an error of the program. */
class TooManyMembers extends Error {
  readonly code = 'FST_ERR_CTP_TOO_MANY_MEMBERS';
  readonly statusCode = 400;

  constructor() {
    super(`a body has at most ${MOST_MEMBERS} members`);
    this.name = 'TooManyMembers';
  }
}

/** @throws TooManyMembers before the form is parsed */
export function limitFields(form: string): string {
  if (form.split('&', MOST_MEMBERS + 1).length > MOST_MEMBERS) throw new TooManyMembers();
  return form;
}

/** Checks each object and list separately; the schemas limit the depth. @throws TooManyMembers */
export function limitMembers(body: unknown): void {
  const waiting = [body];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const members: unknown[] = Object.values(value);
    if (members.length > MOST_MEMBERS) throw new TooManyMembers();
    waiting.push(...members);
  }
}
