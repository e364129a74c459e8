-- Whatever removes uploads (a chat, a user, an organization that goes), their files are to go too, and their bytes are
-- given back to the quota.
create function forget_uploads() returns trigger language plpgsql as $$
begin
  insert into deleted_files (storage_key) select storage_key from gone on conflict do nothing;
  update organizations set stored_bytes = stored_bytes - sums.bytes
  from (select organization_id, sum(size) as bytes from gone group by organization_id) as sums
  where organizations.id = sums.organization_id;
  return null;
end $$;
--> statement-breakpoint
create trigger uploads_deleted after delete on uploads
  referencing old table as gone for each statement execute function forget_uploads();
