/** Code can not be run here, or not now. The message is a sentence for the person. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable'
}
