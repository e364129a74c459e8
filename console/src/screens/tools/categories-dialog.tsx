import type { ToolCategory } from '@parley/client/schemas'
import { Pencil, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure, Loaded, More } from '../../ui/states.tsx'
import { useCategories } from './use-tools.ts'

const t = translator('tools')

const OUTDATES = ['GET /api/tools/list_categories'] as const

export const CategoriesDialog = ({ open, onClose }: { open: boolean; onClose: () => void }) => (
  <Dialog
    open={open}
    onClose={onClose}
    title={t('categories.title')}
    description={t('categories.description')}
  >
    <Categories />
  </Dialog>
)

function Categories() {
  const { organization, may } = useHere()
  const categories = useCategories()
  const add = useChange('POST /api/tools/create_category', { outdates: OUTDATES })
  return (
    <>
      <Loaded query={categories}>
        {(all) =>
          all.length === 0 ? (
            <p className="text-sm text-muted">{t('categories.empty')}</p>
          ) : (
            <ul className="flex flex-col divide-y divide-line rounded-xl border border-line">
              {all.map((category) => (
                <Category key={category.id} category={category} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <More query={categories} />
      {may('tool:write') && (
        <NameForm
          label={t('categories.new')}
          action={t('categories.add')}
          isBusy={add.isPending}
          error={add.error}
          onName={(name, done) =>
            add.mutate(
              { query: { org_id: organization.id }, body: { name, description: '' } },
              { onSuccess: done },
            )
          }
        />
      )}
    </>
  )
}

function Category({ category }: { category: ToolCategory }) {
  const { organization, may } = useHere()
  const confirm = useConfirm()
  const [isRenaming, setRenaming] = useState(false)
  const query = { org_id: organization.id, category_id: category.id }
  const rename = useChange('PUT /api/tools/update_category', { outdates: OUTDATES })
  const remove = useChange('DELETE /api/tools/delete_category', { outdates: OUTDATES })
  const ask = async () => {
    const isSure = await confirm({
      title: t('categories.deleteTitle', { name: category.name }),
      consequence: t('categories.deleteConsequence'),
      action: t('categories.deleteAction'),
    })
    if (isSure) remove.mutate({ query })
  }
  return (
    <li className="flex flex-col gap-2 px-4 py-2">
      {isRenaming ? (
        <NameForm
          label={t('categories.newName', { name: category.name })}
          action={t('categories.renameAction')}
          name={category.name}
          isBusy={rename.isPending}
          error={rename.error}
          onCancel={() => setRenaming(false)}
          onName={(name) => rename.mutate({ query, body: { name } }, { onSuccess: () => setRenaming(false) })}
        />
      ) : (
        <div className="flex items-center gap-1">
          <span className="min-w-0 grow wrap-anywhere">{category.name}</span>
          {may('tool:write') && (
            <IconButton
              small
              icon={Pencil}
              label={t('categories.rename', { name: category.name })}
              onClick={() => setRenaming(true)}
            />
          )}
          {may('tool:delete') && (
            <IconButton
              small
              icon={Trash2}
              label={t('categories.delete', { name: category.name })}
              disabled={remove.isPending}
              onClick={() => void ask()}
            />
          )}
        </div>
      )}
      {remove.error && <Failure error={remove.error} />}
    </li>
  )
}

interface NameFormProps {
  label: string
  action: string
  name?: string
  isBusy: boolean
  error: Error | null
  /** Called with the submitted name. Calling `done` clears the field. */
  onName: (name: string, done: () => void) => void
  onCancel?: () => void
}

function NameForm({ label, action, name: before = '', isBusy, error, onName, onCancel }: NameFormProps) {
  const [name, setName] = useState(before)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onName(name, () => setName(''))
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end justify-end gap-2">
        <div className="min-w-48 grow">
          <TextField
            label={label}
            required
            maxLength={200}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </div>
        {onCancel && (
          <Button kind="ghost" onClick={onCancel}>
            {t('categories.cancel')}
          </Button>
        )}
        <Button type="submit" busy={isBusy}>
          {action}
        </Button>
      </div>
      {error && <Failure error={error} />}
    </form>
  )
}
