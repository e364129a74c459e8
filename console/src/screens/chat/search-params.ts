/**
 * The URL parameters of the chat screen. The list's filter stays when the user opens another chat; `prompt` and
 * `message` apply to one chat.
 */
export interface ChatSearch {
  q?: string
  folder?: string
  archived?: true
  /** A message to send once in a new chat. */
  prompt?: string
  /** The id of the message to scroll to. */
  message?: string
}
