import type { Instruction } from '@parley/client/schemas'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { readPages, useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useDelete, useHidden } from '../../ui/deletions.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { Failure, Loaded, More } from '../../ui/states.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('chat')

const LISTS = ['GET /api/instructions/list'] as const

export function InstructionsDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [edited, setEdited] = useState<Instruction | 'new' | null>(null)
  const close = () => {
    setEdited(null)
    onClose()
  }
  const title =
    edited === null
      ? t('instructions.title')
      : edited === 'new'
        ? t('instructions.create')
        : t('instructions.edit')
  return (
    <Dialog open={open} onClose={close} title={title} description={t('instructions.description')}>
      {edited === null ? (
        <InstructionList onEdit={setEdited} />
      ) : (
        <InstructionForm instruction={edited === 'new' ? null : edited} onDone={() => setEdited(null)} />
      )}
    </Dialog>
  )
}

function InstructionList({ onEdit }: { onEdit: (edited: Instruction | 'new') => void }) {
  const { organization } = useHere()
  const list = useInfiniteQuery(
    readPages('GET /api/instructions/list', { org_id: organization.id, limit: 100 }),
  )
  const hidden = useHidden()
  return (
    <Loaded query={list}>
      {(all) => {
        const instructions = all.filter(({ id }) => !hidden.has(id))
        return (
          <>
            {instructions.length === 0 && <p className="text-sm text-muted">{t('instructions.empty')}</p>}
            <ul className="flex flex-col">
              {instructions.map((instruction) => (
                <InstructionLine key={instruction.id} instruction={instruction} onEdit={onEdit} />
              ))}
            </ul>
            <More query={list} />
            <Button icon={Plus} kind="primary" onClick={() => onEdit('new')} className="self-start">
              {t('instructions.create')}
            </Button>
          </>
        )
      }}
    </Loaded>
  )
}

function InstructionLine({
  instruction,
  onEdit,
}: {
  instruction: Instruction
  onEdit: (edited: Instruction) => void
}) {
  const { may } = useHere()
  const remove = useDelete('DELETE /api/instructions/delete', LISTS)
  return (
    <li className="flex items-center gap-1 border-b border-line py-2 last:border-b-0">
      <div className="min-w-0 grow">
        <p className="truncate font-medium">{instruction.name}</p>
        <p className="truncate text-sm text-muted">{instruction.content}</p>
      </div>
      <IconButton
        icon={Pencil}
        label={t('instructions.editNamed', { name: instruction.name })}
        onClick={() => onEdit(instruction)}
      />
      {may('chats:delete') && (
        <IconButton
          icon={Trash2}
          label={t('instructions.deleteNamed', { name: instruction.name })}
          onClick={() =>
            remove([instruction.id], t('instructions.deleted'), { query: { instruction_id: instruction.id } })
          }
        />
      )}
    </li>
  )
}

function InstructionForm({ instruction, onDone }: { instruction: Instruction | null; onDone: () => void }) {
  const { organization } = useHere()
  const notify = useNotify()
  const [name, setName] = useState(instruction?.name ?? '')
  const [content, setContent] = useState(instruction?.content ?? '')
  const done = () => {
    notify(t('instructions.saved'))
    onDone()
  }
  const create = useChange('POST /api/instructions/create', { outdates: LISTS, onDone: done })
  const update = useChange('PUT /api/instructions/update', { outdates: LISTS, onDone: done })
  const error = create.error ?? update.error
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // In React, the event would bubble to the composer's form, which is this dialog's parent component.
    event.stopPropagation()
    const body = { name: name.trim(), content }
    if (instruction) update.mutate({ query: { instruction_id: instruction.id }, body })
    else create.mutate({ query: { org_id: organization.id }, body })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label={t('instructions.name')}
        required
        maxLength={200}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextAreaField
        label={t('instructions.content')}
        hint={t('instructions.contentHint')}
        required
        rows={8}
        value={content}
        onChange={({ target }) => setContent(target.value)}
      />
      {error && <Failure error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{t('instructions.cancel')}</Button>
        <Button kind="primary" type="submit" busy={create.isPending || update.isPending}>
          {t('instructions.save')}
        </Button>
      </div>
    </form>
  )
}
