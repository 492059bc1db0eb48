#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A cluster of one node, this machine: tests/regress/slurm_cluster.sh start FOLDER | stop FOLDER
# Starts Debian's munged, slurmctld and slurmd as whoever calls, with all their files in FOLDER, and waits until
# the node takes jobs. SLURM_CONF=FOLDER/slurm.conf leads sbatch and squeue there. No cgroups, no accounting: it
# runs as root in a container.
set -eu
export LC_ALL=C
PATH=$PATH:/usr/sbin
action=$1
folder=$(realpath -m "$2")

# Returns when they are gone.
stop() {
  for daemon in slurmd slurmctld munged; do
    [ -s "$folder/$daemon.pid" ] || continue
    pid=$(cat "$folder/$daemon.pid")
    for signal in TERM KILL; do
      kill -$signal "$pid" 2>/dev/null || break
      for _ in $(seq 50); do
        kill -0 "$pid" 2>/dev/null || break 2
        sleep 0.1
      done
    done
  done
}

start() {
  for program in munged slurmctld slurmd sinfo; do
    command -v $program >/dev/null || { echo "$program is not there: Debian's package slurm-wlm or munge has it" >&2; exit 2; }
  done
  mkdir -p "$folder/spool" "$folder/state"
  chmod 700 "$folder"
  host=$(hostname -s)
  port=$((20000 + $$ % 6000 * 2))
  head -c 1024 /dev/urandom > "$folder/munge.key"
  chmod 600 "$folder/munge.key"
  munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --seed-file="$folder/munge.seed" \
    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" 2>"$folder/munged.txt"
  cat > "$folder/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=1
KillWait=2
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES State=UP MaxTime=INFINITE
END
  export SLURM_CONF="$folder/slurm.conf"
  slurmctld
  slurmd
  for _ in $(seq 60); do
    if sinfo --noheader --format=%T 2>/dev/null | grep -q '^idle'; then exit 0; fi
    sleep 0.5
  done
  tail -n 5 "$folder"/*.log >&2
  stop
  exit 1
}

case $action in
start | stop) $action ;;
*) echo "usage: tests/regress/slurm_cluster.sh start|stop FOLDER" >&2; exit 2 ;;
esac
