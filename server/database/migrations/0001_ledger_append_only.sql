-- The ledger is append-only in the database too. Its entries go only together with their organization.
create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and not exists (select from organizations where id = old.organization_id) then
    return old;
  end if;
  raise exception 'ledger entries are never changed' using errcode = 'restrict_violation';
end $$;
--> statement-breakpoint
create trigger ledger_entries_append_only before update or delete on ledger_entries
  for each row execute function refuse_ledger_change();
--> statement-breakpoint
create function refuse_ledger_truncate() returns trigger language plpgsql as $$
begin
  raise exception 'ledger entries are never changed' using errcode = 'restrict_violation';
end $$;
--> statement-breakpoint
create trigger ledger_entries_no_truncate before truncate on ledger_entries
  for each statement execute function refuse_ledger_truncate();
