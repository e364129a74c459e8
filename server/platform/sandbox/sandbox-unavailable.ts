/** Thrown if this server cannot run code, or not at the moment. The message is written for the user. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable'
}
