import { expect, test } from 'vitest'
import { isCloudService } from './addresses.ts'
import { createNet, NetError, type ResolveName } from './index.ts'

/** Metadata and wire servers of clouds, in every spelling that a URL allows. */
const SPELLINGS = `
  168.63.129.16 168.63.33040 168.4161808 2822734096 0xa83f8110 0250.077.0201.020 0xa8.0x3f.0x81.0x10
  [::ffff:168.63.129.16] [::ffff:a83f:8110] [::168.63.129.16] [::ffff:0:168.63.129.16] [64:ff9b::168.63.129.16]
  [64:ff9b:1::a83f:8110] [2002:a83f:8110::] [2002:a83f:8110::1] [2606:4700::5efe:a83f:8110]
  [2001:0:a83f:8110::] [2001:0:1:1::57c0:7eef]
  169.254.169.254 169.254.43518 2852039166 0xa9fea9fe 0251.0376.0251.0376 169.254.169.253 169.254.169.123
  169.254.170.2 169.254.170.23 169.254.0.23 169.254.42.42 %31%36%39.254.169.254 169。254。169。254
  [::ffff:169.254.169.254] [::FFFF:A9FE:A9FE] [0:0:0:0:0:ffff:a9fe:a9fe] [64:ff9b::a9fe:a9fe] [2002:a9fe:a9fe::]
  [64:ff9b:1:a9fe:a9:fe00::] [::a9fe:a9fe] [2001:db8::5efe:a9fe:a9fe]
  100.100.100.200 1684301000 [::ffff:100.100.100.200] [64:ff9b::6464:64c8] [2002:6464:64c8::]
  192.0.0.192 3221225664 [::ffff:192.0.0.192] [64:ff9b::c000:c0]
  [fd00:ec2::254] [fd00:0ec2:0:0:0:0:0:254] [FD00:EC2::253] [fd00:ec2::23] [fd20:ce::254] [fd00:c1::a9fe:a9fe]
  [fd00:42::42] [fe80::a9fe:a9fe]
`
  .trim()
  .split(/\s+/)

const OTHERS =
  '168.63.129.17 8.8.8.8 10.0.0.1 127.0.0.1 192.0.0.193 ::1 fd00::1 2606:4700::1111 64:ff9b::808:808'

const everything = createNet({ allowPrivateNetwork: ['0.0.0.0/0', '::/0'] })
const NETS = {
  false: createNet({ allowPrivateNetwork: false }),
  true: createNet({ allowPrivateNetwork: true }),
  'blocks around them': everything,
}

test.each(Object.keys(NETS) as (keyof typeof NETS)[])(
  'every spelling is refused with ALLOW_PRIVATE_NETWORK=%s',
  (setting) => {
    const passed = SPELLINGS.filter((host) => {
      try {
        NETS[setting].checkUrl(`http://${host}/latest/meta-data/`)
        return true
      } catch (error) {
        expect(error).toBeInstanceOf(NetError)
        return false
      }
    })
    expect(passed).toEqual([])
  },
)

test('a connection that skips the URL check is refused too', async () => {
  const attempts = SPELLINGS.map((host) => {
    const { origin } = new URL(`http://${host}:9`)
    return NETS.true.guarded.request({ origin, path: '/', method: 'GET' }).then(
      () => host,
      (error: unknown) => (error instanceof NetError ? null : host),
    )
  })
  expect((await Promise.all(attempts)).filter((host) => host !== null)).toEqual([])
})

test.each(OTHERS.split(' '))('%s is not a metadata address', (address) =>
  expect(isCloudService(address)).toBe(false),
)

test.each([
  ['metadata.google.internal', [{ address: '169.254.169.254', family: 4 }]],
  ['wire.example', [{ address: '168.63.129.16', family: 4 }]],
  [
    'hidden.example',
    [
      { address: '8.8.8.8', family: 4 },
      { address: '::ffff:a9fe:a9fe', family: 6 },
    ],
  ],
  ['nat64.example', [{ address: '64:ff9b::a9fe:a9fe', family: 6 }]],
])('the name %s is refused even if all private addresses are allowed', async (host, addresses) => {
  const resolveName: ResolveName = (_name, _options, callback) => callback(null, addresses)
  const net = createNet({ allowPrivateNetwork: true, resolveName })
  const response = net.guarded.request({ origin: `http://${host}`, path: '/', method: 'GET' })
  await expect(response).rejects.toThrow(
    `${host} is reserved for cloud metadata and is not a public address.`,
  )
  await net.close()
})

test('listing a single metadata address allows only that address', () => {
  const net = createNet({ allowPrivateNetwork: ['169.254.169.254', '168.63.129.16/32', 'fd00:ec2::254/128'] })
  for (const host of ['169.254.169.254', '168.63.129.16', '[fd00:ec2::254]', '[::ffff:a9fe:a9fe]'])
    expect(net.checkUrl(`http://${host}/`).protocol).toBe('http:')
  for (const host of ['169.254.169.253', '[64:ff9b::a9fe:a9fe]', '[fd00:ec2::253]'])
    expect(() => net.checkUrl(`http://${host}/`)).toThrow('reserved for cloud metadata')
})
