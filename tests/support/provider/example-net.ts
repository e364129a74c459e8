import { createNet, type Net } from '#platform/net/index.ts'

/** Returns a Net that resolves names ending in .example to loopback and may connect there. */
export const createExampleNet = (): Net =>
  createNet({
    allowPrivateNetwork: ['127.0.0.0/8'],
    resolveName: (_name, _options, tell) => tell(null, [{ address: '127.0.0.1', family: 4 }]),
  })
