/** The filter of the list, which stays when another chat opens, and parameters of one chat. */
export interface ChatSearch {
  q?: string
  folder?: string
  archived?: true
  /** Sent once, in a new chat. */
  prompt?: string
  /** The message to scroll to. */
  message?: string
}
