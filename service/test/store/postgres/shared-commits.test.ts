import { expect, onTestFinished, test } from 'vitest';
import { authentication, sampleAttempt, samplePerson } from '../../conformance/samples.ts';
import { postgresStores } from '../../support/postgres/store.ts';

const LOGINS = 8;

test('completions of one person share a commit, and the last one is stored', async () => {
  const commits: number[] = [];
  const onBegin = () => (units: number) => void commits.push(units);
  const { store, dispose } = await postgresStores(1, onTestFinished, { onBegin })();
  onTestFinished(dispose);
  const attempts = Array.from({ length: LOGINS }, () => sampleAttempt());
  await Promise.all(attempts.map((attempt) => store.insertAttempt(attempt)));
  commits.length = 0;

  const someone = samplePerson();
  const names = attempts.map((_, index) => `name ${index}`);
  const logins = await Promise.all(
    attempts.map((attempt, index) => {
      const person = { ...someone, englishName: `name ${index}` };
      return store.authenticateAttempt(authentication(attempt, { person }));
    }),
  );
  expect(commits).toEqual([LOGINS]);
  expect(logins.map((login) => login?.user?.englishName)).toEqual(names);
  const [first] = attempts;
  const found = first === undefined ? null : await store.findAttempt(first.attemptId);
  expect(found?.user?.englishName).toBe(names.at(-1));
});
