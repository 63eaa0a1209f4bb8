// The features of Chromium that are off in the browser of the tests. test/chromium-features.test.ts
// compares the first list with Playwright's own.

/**
 * What Playwright turns off. It has to be repeated here: of several `--disable-features` Chromium
 * obeys only the last one, which is ours.
 */
export const OFF_IN_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];

/**
 * Processes that Chromium starts with every new window and that no test uses: two for the
 * suggestions under the address bar, and one in reserve for the next page. What a page may do stays
 * the same. Without them a new context needs less than half of the processor time.
 */
const PROCESSES_WITHOUT_USE = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'PreloadTopChromeWebUI',
  'SpareRendererForSitePerProcess',
];

export const FEATURES_OFF = [...OFF_IN_PLAYWRIGHT, ...PROCESSES_WITHOUT_USE];
