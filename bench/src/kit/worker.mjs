/** One of many test processes: ten sign-ins, in an instance of its own or in a scope of a shared one. */
import { connectMiftah, startMiftah } from 'miftah/testing';

const SIGN_INS = 10;

const [, , url, scope] = process.argv;
const miftah = await (url === undefined ? startMiftah() : connectMiftah(url, { scope }));
const { nationalId } = miftah.people.amal;
for (let signIn = 0; signIn < SIGN_INS; signIn += 1) {
  const attempt = await miftah.client().start({ locale: 'en', nationalId });
  // Fails if it sees what waits for another worker: all sign in the same person.
  const prompt = await miftah.phone.approve();
  if (prompt.attemptId !== attempt.id) throw new Error('this prompt is of another worker');
  await miftah.waitFor(attempt, 'authenticated');
  await attempt.issueToken();
}
process.stdout.write(String(process.memoryUsage().rss));
await miftah.stop();
