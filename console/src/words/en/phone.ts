export const phone = {
  title: 'Real phone',
  text: 'Scan this symbol with the camera of a real phone: it opens the phone of the test people there, and needs no token.',
  symbol: 'Symbol to scan with the address of the phone',
  once: 'The address lets one browser in, once, within two minutes. This page makes another one before that.',
  another: 'Another code',
  copy: 'Copy the address',
  network: 'The phone has to be in the same network as this simulator.',
  none: {
    title: 'No other device reaches this simulator',
    text: 'It listens for programs of this machine alone, so a phone could not open its address.',
    run: 'Start it with {command} to open it to your local network. Use a network that you trust.',
  },
};
