-- What is append-only in the database too: the ledger and the audit. Entries go only together with their organization.
create function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and not exists (select from organizations where id = old.organization_id) then
    return old;
  end if;
  raise exception '% are never changed', replace(tg_table_name, '_', ' ') using errcode = 'restrict_violation';
end $$;
--> statement-breakpoint
create function refuse_truncate() returns trigger language plpgsql as $$
begin
  raise exception '% are never changed', replace(tg_table_name, '_', ' ') using errcode = 'restrict_violation';
end $$;
--> statement-breakpoint
create or replace trigger ledger_entries_append_only before update or delete on ledger_entries
  for each row execute function refuse_change();
--> statement-breakpoint
create or replace trigger ledger_entries_no_truncate before truncate on ledger_entries
  for each statement execute function refuse_truncate();
--> statement-breakpoint
drop function refuse_ledger_change, refuse_ledger_truncate;
--> statement-breakpoint
create trigger audit_entries_append_only before update or delete on audit_entries
  for each row execute function refuse_change();
--> statement-breakpoint
create trigger audit_entries_no_truncate before truncate on audit_entries
  for each statement execute function refuse_truncate();
