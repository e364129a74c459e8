import { fail } from '#errors'

/** The row of an organization, or a row that belongs to one. */
export interface Suspendable {
  /** Why the organization is suspended. Null if it is not. */
  suspension_reason: string | null
}

export const isSuspended = ({ suspension_reason: reason }: Suspendable): boolean => reason !== null

/** Throws access.organization_suspended, which gives the reason. */
export function refuseSuspended({ suspension_reason: reason }: Suspendable): void {
  if (reason !== null) throw fail('access.organization_suspended', { reason })
}
