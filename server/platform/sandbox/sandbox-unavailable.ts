/** Code cannot run on this server, or not now. The message is written for the user. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable'
}
