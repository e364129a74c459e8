import { useChange } from '../../api/queries.ts'
import { useHere } from '../../shell/organization.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { useNotify } from '../../ui/toast.tsx'

/** Hands the organization over to another member, after asking. */
export function useTransfer(): (to: { id: string; name: string }) => Promise<void> {
  const { organization } = useHere()
  const confirm = useConfirm()
  const notify = useNotify()
  const transfer = useChange('POST /api/org/transfer_ownership', {
    outdates: ['GET /api/org/list', 'GET /api/users/list', 'GET /api/users/me', 'GET /api/roles/list_roles'],
  })
  return async ({ id, name }) => {
    const isSure = await confirm({
      title: `Make ${name} the owner?`,
      consequence: `${name} gets full control of ${organization.name}, and you become an admin. Only the new owner can give it back.`,
      action: 'Transfer ownership',
      typed: organization.name,
    })
    if (!isSure) return
    // Where it was asked may not be shown any more then: what mutate() is told to do would not be done.
    await transfer
      .mutateAsync({ query: { org_id: organization.id }, body: { user_id: id } })
      .then(() => notify(`${name} is the owner now`), notify)
  }
}
