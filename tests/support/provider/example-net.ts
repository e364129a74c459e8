import { createNet, type Net } from '#platform/net/index.ts'

/** A net on which names that end in .example stand for this machine, which may be reached. */
export const createExampleNet = (): Net =>
  createNet({
    allowPrivateNetwork: ['127.0.0.0/8'],
    resolveName: (_name, _options, tell) => tell(null, [{ address: '127.0.0.1', family: 4 }]),
  })
