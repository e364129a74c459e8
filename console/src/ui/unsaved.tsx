import { useBlocker } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import { translator } from '../messages/index.ts'
import { Button } from './button.tsx'
import { useConfirm } from './confirm.tsx'
import { Failure } from './states.tsx'

const t = translator('ui')

/**
 * Asks for confirmation before the user leaves a page with unsaved changes. Switching tabs or filters of the same
 * page needs no confirmation.
 */
export function useLeaveGuard(isUnsaved: boolean): void {
  const confirm = useConfirm()
  useBlocker({
    disabled: !isUnsaved,
    enableBeforeUnload: isUnsaved,
    shouldBlockFn: async ({ current, next }) => {
      const isSamePage =
        current.pathname === next.pathname && organizationOf(current.search) === organizationOf(next.search)
      if (isSamePage) return false
      return !(await confirm({
        title: t('unsaved.leaveTitle'),
        consequence: t('unsaved.leaveConsequence'),
        action: t('unsaved.leave'),
      }))
    },
  })
}

const organizationOf = (search: object): unknown => (search as { org_id?: string }).org_id

interface SavedFormProps {
  label: string
  /** Why the form is read-only. Null if the user can edit it. */
  refusal: string | null
  isUnsaved: boolean
  isSaving: boolean
  error: Error | null
  onSave: () => void
  onDiscard: () => void
  children: ReactNode
}

/** A form whose changes are saved together: with its button, Enter in a field, Ctrl+S or Cmd+S. */
export function SavedForm({
  label,
  refusal,
  isUnsaved,
  isSaving,
  error,
  onSave,
  onDiscard,
  children,
}: SavedFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const mayChange = refusal === null
  useSaveKeys(() => mayChange && form.current?.requestSubmit())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isUnsaved && !isSaving) onSave()
  }
  return (
    <form ref={form} onSubmit={submit} aria-label={label} className="min-w-0">
      <fieldset disabled={!mayChange} className="flex min-w-0 flex-col gap-6">
        {!mayChange && <p className="rounded-xl bg-surface px-4 py-3 text-sm text-muted">{refusal}</p>}
        {children}
        {mayChange && (
          <SaveBar isUnsaved={isUnsaved} isSaving={isSaving} error={error} onDiscard={onDiscard} />
        )}
      </fieldset>
    </form>
  )
}

/** Calls `save` on Ctrl+S and Cmd+S, in place of the browser's own action. */
function useSaveKeys(save: () => void): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const isSave = event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey)
    if (!isSave || event.shiftKey || event.altKey) return
    event.preventDefault()
    save()
  })
  useEffect(() => {
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}

type SaveBarProps = Pick<SavedFormProps, 'isUnsaved' | 'isSaving' | 'error' | 'onDiscard'>

/**
 * A bar at the bottom of a form. It stays visible while the user scrolls, and shows whether changes are unsaved and
 * why the last save failed.
 */
const SaveBar = ({ isUnsaved, isSaving, error, onDiscard }: SaveBarProps) => (
  <div className="sticky bottom-0 z-10 -mx-1 flex flex-col gap-3 bg-canvas px-1 pt-2 pb-4">
    {error && <Failure error={error} />}
    <div className="flex flex-wrap items-center justify-end gap-2 rounded-2xl border border-line bg-surface py-2.5 pr-2.5 pl-4">
      <p role="status" className="min-w-0 grow text-sm text-muted">
        {isUnsaved ? t('unsaved.changes') : t('unsaved.none')}
      </p>
      {isUnsaved && (
        <Button kind="ghost" disabled={isSaving} onClick={onDiscard}>
          {t('unsaved.discard')}
        </Button>
      )}
      <Button
        type="submit"
        kind="primary"
        busy={isSaving}
        disabled={!isUnsaved}
        title={t('unsaved.keys')}
        aria-keyshortcuts="Control+S Meta+S"
      >
        {t('save')}
      </Button>
    </div>
  </div>
)
