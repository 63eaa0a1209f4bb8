import { createClient } from '@miftah/client';

/**
 * The application under test: a sign-in by phone.
 * @param {string} baseUrl the address of Miftah's API
 * @param {string} nationalId who signs in
 * @param {(number: string) => void} show shows the number to choose on the phone
 */
export async function loginByPhone(baseUrl, nationalId, show) {
  const attempt = await createClient({ baseUrl }).start({ locale: 'en', nationalId });
  show(attempt.random);
  const { status } = await attempt.waitForResult();
  if (status !== 'authenticated') return `Not signed in: ${status}`;
  const { user } = await attempt.issueToken();
  return `Welcome, ${user.englishName}`;
}
