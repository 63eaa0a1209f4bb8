import type { openTab } from '../../../scripts/browser.ts';
import type { SimulatedApi } from './simulated-api.ts';

type Tab = Awaited<ReturnType<typeof openTab>>;

/** The console in this tab, and every address that it asks for. */
export async function openConsole(
  tab: Tab,
  api: SimulatedApi,
  { locale = 'en', hash = '#/' }: { readonly locale?: 'ar' | 'en'; readonly hash?: string } = {},
) {
  const requested: string[] = [];
  tab.page.on('request', (request) => requested.push(request.url()));
  await tab.page.goto(api.address(locale, hash));
  await tab.page.locator('[data-testid=connection][data-state=live]').waitFor();
  return { ...tab, requested };
}
